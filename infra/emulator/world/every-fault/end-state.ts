import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { World } from '../world.ts';

/** What counts of a world that is at rest: no versions, no uids, no times. */
export type EndState = Readonly<Record<string, JsonObject>>;

type Compare = (object: KubeObject) => KubeObject | undefined;

export async function endStateOf(
  world: World,
  { from, compare }: { readonly from: Date; readonly compare: Compare },
): Promise<EndState> {
  const objects = await world.objects();
  const known = new Map(objects.map((each) => [each.metadata.uid ?? '', titleOf(each)]));
  const clean = cleaner(known, { fromMs: from.getTime(), toMs: world.now().getTime() });
  const { conditions, measures } = world.reports();
  const buried = await world.buried();
  return {
    ...Object.fromEntries(
      numbered(
        objects.flatMap((each) => compare(each) ?? []),
        clean,
      ),
    ),
    ...titled(
      'condition',
      conditions.map((each) => [each.name, cleaned(each, clean)]),
    ),
    ...titled(
      'measure',
      Object.entries(measures).map(([name, of]) => [name, cleaned({ of }, clean)]),
    ),
    ...titled(
      'buried message',
      buried.map(({ group, why }) => [group, { why }]),
    ),
  };
}

function titled(what: string, entries: readonly (readonly [string, JsonObject])[]) {
  return Object.fromEntries(entries.map(([name, value]) => [`${what} ${name}`, value]));
}

type Clean = (value: Json) => Json;

function cleaned(value: object, clean: Clean): JsonObject {
  return clean(JSON.parse(JSON.stringify(value)) as JsonObject) as JsonObject;
}

/** Names that the server made up are counted. */
function numbered(objects: readonly KubeObject[], clean: Clean) {
  const seen = new Map<string, number>();
  return objects
    .map((object) => [titleOf(object), cleaned(bare(object), clean)] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([title, object]) => {
      const count = (seen.get(title) ?? 0) + 1;
      seen.set(title, count);
      return [count === 1 ? title : `${title} (${count})`, object] as const;
    });
}

function titleOf({ kind, metadata }: KubeObject): string {
  const { namespace, name = '', uid = '' } = metadata;
  const tail = uid.slice(-5);
  const stated = tail !== '' && name.endsWith(tail) ? `${name.slice(0, -tail.length)}*` : name;
  const plain = stated.replaceAll(inventedUid, '*');
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${plain}`;
}

/** Without what only the server states. An Event says how often; that is no state. */
function bare({ metadata, ...object }: KubeObject): JsonObject {
  const { name: _, uid: __, resourceVersion: ___, ...stated } = metadata;
  const { creationTimestamp: _c, generation, managedFields: _m, ...kept } = stated;
  const { series: _s, ...rest } = object;
  return withGeneration({ ...rest, metadata: kept }, generation);
}

function withGeneration(object: JsonObject, generation: Json | undefined): JsonObject {
  const { status } = object;
  if (!isJsonObject(status) || status['observedGeneration'] === undefined) return object;
  const isCurrent = status['observedGeneration'] === generation;
  return { ...object, status: { ...status, observedGeneration: isCurrent ? 'current' : 'older' } };
}

const inventedUid = /00000000-0000-4000-8000-\d{12}/g;
const isoTime = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/** Times of the world's own clock: what was read from another clock differs from run to run, and is to be found. */
function cleaner(
  known: ReadonlyMap<string, string>,
  span: { readonly fromMs: number; readonly toMs: number },
): Clean {
  const isOwn = (ms: number) => ms >= span.fromMs - dayMs && ms <= span.toMs + 400 * dayMs;
  const text = (value: string) =>
    /^\d{13}$/.test(value) && isOwn(Number(value))
      ? 'a time'
      : value
          .replaceAll(inventedUid, (uid) => `uid of ${known.get(uid) ?? 'what is gone'}`)
          .replaceAll(isoTime, (time) => (isOwn(Date.parse(time)) ? 'a time' : time));
  const clean: Clean = (value) => {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'number' && isOwn(value)) return 'a time';
    if (Array.isArray(value)) return value.map(clean);
    return isJsonObject(value) ? inOrder(value, { text, clean }) : value;
  };
  return clean;
}

type Cleaning = { readonly text: (value: string) => string; readonly clean: Clean };

function inOrder(object: JsonObject, { text, clean }: Cleaning): JsonObject {
  const entries = Object.entries(object).map(([key, value]) => [text(key), clean(value)] as const);
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

const dayMs = 86_400_000;
