import { matchesFields, parseFieldSelector } from '#shared/domain/field-selector.ts';
import { matchesLabels, parseSelector } from '#shared/domain/selector.ts';
import { badRequest, type Refusal } from './refusal.ts';
import { parsedBody, type Stored } from './stored.ts';

export type Selects = (stored: Stored) => boolean;

type Asked = {
  readonly namespace: string | undefined;
  readonly labels: string | undefined;
  readonly fields: string | undefined;
};

/** Everything that a collection's request narrows it to. */
export function selecting({ namespace, labels, fields }: Asked): Selects | Refusal {
  const byLabels = parseSelector(labels ?? '');
  const byFields = parseFieldSelector(fields ?? '');
  if (byLabels === undefined) return badRequest('unable to parse requirement');
  if (byFields === undefined) return badRequest(`invalid selector: '${fields}'`);
  const unknown = byFields.find(({ field }) => !known.includes(field));
  if (unknown !== undefined) {
    return badRequest(`"${unknown.field}" is not a known field selector: only ${known.join(', ')}`);
  }
  return (stored) =>
    (namespace === undefined || stored.namespace === namespace) &&
    matchesLabels(byLabels, stored.labels) &&
    (byFields.length === 0 || matchesFields(byFields, parsedBody(stored)));
}

/** The real server knows those below `metadata` for every kind, the others for pods only. */
const known = ['metadata.name', 'metadata.namespace', 'spec.nodeName', 'status.phase'];
