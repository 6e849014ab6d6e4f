import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
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

/** As Go prints the struct. */
function goSelector(selector: JsonObject): string {
  const { matchLabels } = selector;
  const labels = isJsonObject(matchLabels)
    ? Object.keys(matchLabels)
        .toSorted()
        .map((key) => `${key}: ${String(matchLabels[key])},`)
    : [];
  const terms = listAt(selector, 'matchExpressions').map(({ key, operator, values }) => {
    const listed = values !== undefined && isList(values) ? values.map(String).join(' ') : '';
    return `LabelSelectorRequirement{Key:${String(key)},Operator:${String(operator)},Values:[${listed}],},`;
  });
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${terms.join('')}},}`;
}
