import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import { isNamedList, merged } from './merge.ts';

/** Which manager states which fields; what server-side apply takes its conflicts and removals from. */
export type FieldOwners = ReadonlyMap<string, ReadonlySet<string>>;

/** Every write that is not an apply, as the real server keeps an entry for `Update` beside those for `Apply`. */
export const updates = 'update';

export type Applied =
  | { readonly kind: 'applied'; readonly body: JsonObject; readonly owners: FieldOwners }
  | { readonly kind: 'conflict'; readonly why: string };

export function applied(
  live: JsonObject,
  owners: FieldOwners,
  stated: { readonly body: JsonObject; readonly manager: string; readonly force: boolean },
): Applied {
  const wanted = fieldsOf(stated.body);
  const found = fieldsOf(live);
  const contested = [...wanted].filter(
    ([field, value]) => found.has(field) && !isDeepStrictEqual(found.get(field), value),
  );
  const others = [...owners].filter(([manager]) => manager !== stated.manager);
  const clash = contested.flatMap(([field]) =>
    others
      .filter(([, fields]) => fields.has(field))
      .map(([manager]) => `${field} is managed by ${manager}`),
  );
  if (clash.length > 0 && !stated.force) return { kind: 'conflict', why: clash.join('; ') };

  const dropped = [...(owners.get(stated.manager) ?? [])].filter(
    (field) => !wanted.has(field) && !others.some(([, fields]) => fields.has(field)),
  );
  const kept = dropped.reduce((body, field) => without(body, stepsOf(field)), live);
  return {
    kind: 'applied',
    body: merged(kept, stated.body, 'by-name') as JsonObject,
    owners: new Map([
      ...others.map(([manager, fields]) => [manager, minus(fields, contested)] as const),
      [stated.manager, new Set(wanted.keys())],
    ]),
  };
}

/** A write takes over the fields that it changes. */
export function updated(before: JsonObject, after: JsonObject, owners: FieldOwners): FieldOwners {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  const changed = [...now].filter(([field, value]) => !isDeepStrictEqual(old.get(field), value));
  const gone = [...old].filter(([field]) => !now.has(field));
  const left = [...owners].map(
    ([manager, fields]) => [manager, minus(fields, [...changed, ...gone])] as const,
  );
  const own = new Map(left).get(updates) ?? new Set<string>();
  return new Map([
    ...left,
    [updates, new Set([...own, ...changed.map(([field]) => field)])] as const,
  ]);
}

function minus(
  fields: ReadonlySet<string>,
  taken: readonly (readonly [string, unknown])[],
): ReadonlySet<string> {
  const lost = new Set(taken.map(([field]) => field));
  return new Set([...fields].filter((field) => !lost.has(field)));
}

/** The leaves of an object by their path, without what belongs to the server. */
function fieldsOf({ apiVersion: _, kind: __, metadata, ...rest }: JsonObject): Map<string, Json> {
  const { labels, annotations, finalizers, ownerReferences } = isJsonObject(metadata)
    ? metadata
    : {};
  const stated = { ...rest, metadata: { labels, annotations, finalizers, ownerReferences } };
  return new Map(leaves(stated as unknown as JsonObject, []));
}

/** A step is a key, or the name of a list's item in an array of one. */
type Step = string | readonly [string];

function leaves(value: Json, path: readonly Step[]): [string, Json][] {
  if (value === undefined) return [];
  if (isNamedList(value)) return value.flatMap((item) => leaves(item, [...path, [item.name]]));
  if (isJsonObject(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
  }
  return [[JSON.stringify(path), value]];
}

function stepsOf(field: string): readonly Step[] {
  return JSON.parse(field) as readonly Step[];
}

/** What becomes empty goes with it. */
function without(body: JsonObject, [step, ...rest]: readonly Step[]): JsonObject {
  if (typeof step !== 'string') return body;
  const inner = body[step];
  const left = rest.length === 0 ? undefined : withoutInner(inner, rest);
  const { [step]: _, ...others } = body;
  return left === undefined ? others : { ...body, [step]: left };
}

function withoutInner(inner: Json | undefined, steps: readonly Step[]): Json | undefined {
  const left = isNamedList(inner)
    ? inner.flatMap((item) => {
        if (item.name !== steps[0]?.[0]) return [item];
        const rest = steps.length === 1 ? {} : without(item, steps.slice(1));
        return Object.keys(rest).length === 0 ? [] : [rest];
      })
    : isJsonObject(inner)
      ? without(inner, steps)
      : inner;
  return left !== undefined && isEmpty(left) ? undefined : left;
}

function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
