import {
  type FieldSelector,
  matchesFields,
  parseFieldSelector,
} from '#shared/domain/field-selector.ts';
import { badRequest, type Refusal } from '../refusal.ts';
import type { ServedKind } from '../served-kinds.ts';
import { parsedBody, type Stored } from '../store/stored.ts';
import { labelTerms, meetsLabels } from './label-terms.ts';
import { keptAs, selectableOf } from './selectable.ts';

export type Selects = (stored: Stored) => boolean;

type Asked = {
  readonly kind: ServedKind;
  readonly namespace: string | undefined;
  /** Of a watch of one object by its old path. */
  readonly name?: string | undefined;
  readonly query: URLSearchParams;
};

/** Everything that a collection's request narrows it to. */
export function selecting({ kind, namespace, name, query }: Asked): Selects | Refusal {
  const labels = labelTerms(query.get('labelSelector') ?? '');
  if (typeof labels === 'string') return badRequest(labels);
  const fields = fieldsOf(kind, query.get('fieldSelector') ?? '');
  if (!Array.isArray(fields)) return fields as Refusal;
  const byField = fieldMatcher(fields);
  return (stored) =>
    (namespace === undefined || stored.namespace === namespace) &&
    (name === undefined || stored.name === name) &&
    (labels.length === 0 || meetsLabels(labels, stored.labels)) &&
    byField(stored);
}

export function isNarrowing(query: URLSearchParams): boolean {
  return Boolean(query.get('labelSelector')) || Boolean(query.get('fieldSelector'));
}

function fieldsOf(kind: ServedKind, text: string): FieldSelector | Refusal {
  const fields = parseFieldSelector(text);
  if (fields === undefined)
    return badRequest(`invalid selector: '${text}'; can't understand '${text}'`);
  const { fields: known, refuses } = selectableOf(kind);
  const unknown = fields.find(({ field }) => !known.includes(field));
  return unknown === undefined ? fields : badRequest(refuses(unknown.field));
}

/** Names stand beside the text; for the rest it has to be read. */
function fieldMatcher(fields: FieldSelector): (stored: Stored) => boolean {
  const isNamed = ({ field }: FieldSelector[number]) => field.startsWith('metadata.');
  const named = fields.filter(isNamed);
  const inside = fields
    .filter((each) => !isNamed(each))
    .map((each) => ({ ...each, field: keptAs(each.field) }));
  return (stored) =>
    named.every(({ field, operator, value }) => {
      const is = field === 'metadata.name' ? stored.name : stored.namespace;
      return (is === value) === (operator === '=');
    }) &&
    (inside.length === 0 || matchesFields(inside, parsedBody(stored)));
}
