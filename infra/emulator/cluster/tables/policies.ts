import { isJsonObject, type Json } from '#shared/domain/json.ts';
import { goSelector } from '../../go-selector.ts';
import { ageColumn, at, count, listAt, nameColumn, text, textAt } from './cells.ts';
import type { Columns } from './table.ts';

export const policyColumns: Columns = [
  nameColumn,
  count('Validations', (object) => listAt(object, 'spec.validations').length),
  text('ParamKind', (object) => {
    const kind = at(object, 'spec.paramKind');
    return isJsonObject(kind) ? `${textAt(kind, 'apiVersion')}/${textAt(kind, 'kind')}` : '<unset>';
  }),
  ageColumn,
];

export const policyBindingColumns: Columns = [
  nameColumn,
  text('PolicyName', (object) => textAt(object, 'spec.policyName')),
  text('ParamRef', (object) => referenceText(at(object, 'spec.paramRef'))),
  ageColumn,
];

function referenceText(reference: Json | undefined): string {
  const name = textAt(reference, 'name');
  if (name !== '') return `${textAt(reference, 'namespace') || '*'}/${name}`;
  const selector = at(reference, 'selector');
  return isJsonObject(selector) ? goSelector(selector) : '<unset>';
}
