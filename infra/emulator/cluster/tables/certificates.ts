import type { JsonObject } from '#shared/domain/json.ts';
import { ageColumn, at, duration, listAt, nameColumn, stated, text, textAt } from './cells.ts';
import type { Columns } from './table.ts';

const signer = text('SignerName', (object) => stated(textAt(object, 'spec.signerName')));

export const signingRequestColumns: Columns = [
  nameColumn,
  ageColumn,
  signer,
  text('Requestor', (object) => textAt(object, 'spec.username')),
  text('RequestedDuration', (object) => {
    const seconds = at(object, 'spec.expirationSeconds');
    return typeof seconds === 'number' ? duration(seconds) : '<none>';
  }),
  text('Condition', conditionOf),
];

export const trustBundleColumns: Columns = [nameColumn, signer];

function conditionOf(object: JsonObject): string {
  const types = new Set(listAt(object, 'status.conditions').map(({ type }) => String(type)));
  const decision = ['Denied', 'Approved'].find((type) => types.has(type)) ?? 'Pending';
  const failed = types.has('Failed') ? ',Failed' : '';
  return `${decision}${failed}${textAt(object, 'status.certificate') === '' ? '' : ',Issued'}`;
}
