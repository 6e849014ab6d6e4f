import type { Json, JsonObject } from '#shared/domain/json.ts';
import { inside, objects, text } from '../../access/stated.ts';
import { nanoOf, printedQuantity } from '../../kinds/words/quantity.ts';
import type { Admitting, Reading } from '../../parts.ts';
import type { Refusal } from '../../refusal.ts';
import { idOf } from '../../served-kinds.ts';
import { isSized } from './limit-range.ts';
import { forbids } from './step.ts';

type Resources = { readonly requests: JsonObject; readonly limits: JsonObject };

/** A range of limits holds the containers of new pods, the pods, and claims. */
export function withinLimits(what: Admitting, reading: Reading): Refusal | undefined {
  const { object, namespace } = what;
  const held = heldBy(what);
  if (held === undefined || object === undefined) return undefined;
  const spec = inside(object['spec']);
  const broken = reading
    .list('limitranges', namespace)
    .flatMap((range) => objects(inside(range['spec'])['limits']))
    .flatMap((limit) => held(limit, spec));
  if (broken.length === 0) return undefined;
  return forbids(what, broken.length === 1 ? (broken[0] ?? '') : `[${broken.join(', ')}]`);
}

type Held = (limit: JsonObject, spec: JsonObject) => readonly string[];

function heldBy(what: Admitting): Held | undefined {
  if (isSized(what)) return podFaults;
  const { kind, operation, subresource } = what;
  const isClaim = idOf(kind) === 'persistentvolumeclaims' && subresource === undefined;
  return isClaim && operation !== 'DELETE' ? claimFaults : undefined;
}

const lists = ['containers', 'initContainers'];

function podFaults(limit: JsonObject, spec: JsonObject): readonly string[] {
  const type = text(limit['type']);
  if (type === 'Pod') return faults(limit, podResources(spec));
  if (type !== 'Container') return [];
  return lists.flatMap((key) =>
    objects(spec[key]).flatMap((container) => faults(limit, resourcesOf(container))),
  );
}

function resourcesOf({ resources }: JsonObject): Resources {
  return {
    requests: inside(inside(resources)['requests']),
    limits: inside(inside(resources)['limits']),
  };
}

/** What its containers want together, unless the pod says so itself. */
function podResources(spec: JsonObject): Resources {
  const own = resourcesOf(spec);
  const total = (of: keyof Resources) => ({ ...together(spec, of), ...sharedIn(own[of]) });
  return { requests: total('requests'), limits: total('limits') };
}

function sharedIn({ cpu, memory }: JsonObject): JsonObject {
  return { ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) };
}

type Together = Readonly<Record<'all' | 'sidecars' | 'most', JsonObject>>;

/** Those that go on, or one of the first with the sidecars that were started before it. */
function together(spec: JsonObject, of: keyof Resources): JsonObject {
  const own = objects(spec['containers']).map((each) => resourcesOf(each)[of]);
  const all = own.reduce((one, other) => merged(one, other, sum), {});
  const first = objects(spec['initContainers']).reduce<Together>(
    (soFar, container) => {
      const wanted = resourcesOf(container)[of];
      const beside = merged(soFar.sidecars, wanted, sum);
      const most = merged(soFar.most, beside, larger);
      return container['restartPolicy'] === 'Always'
        ? { all: merged(soFar.all, wanted, sum), sidecars: beside, most }
        : { all: soFar.all, sidecars: soFar.sidecars, most };
    },
    { all, sidecars: {}, most: {} },
  );
  return merged(first.all, first.most, larger);
}

type Joined = (one: bigint, other: bigint) => bigint;
const sum: Joined = (one, other) => one + other;
const larger: Joined = (one, other) => (one > other ? one : other);

function merged(one: JsonObject, other: JsonObject, join: Joined): JsonObject {
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  const joined = keys.map((key) => {
    const nano = join(nanoOf(one[key]), nanoOf(other[key]));
    const style = /i$/.test(String(one[key] ?? other[key])) ? 'binary' : 'decimal';
    return [key, printedQuantity({ nano, style })];
  });
  return Object.fromEntries(joined);
}

function faults(limit: JsonObject, { requests, limits }: Resources): readonly string[] {
  const each = (key: string, fault: Fault) =>
    Object.entries(inside(limit[key])).flatMap(([name, most]) => {
      const given = { request: requests[name], limit: limits[name] };
      const why = fault(given, most);
      const word = key === 'min' ? 'minimum' : 'maximum';
      const start = `${word} ${name} usage per ${text(limit['type'])} is ${String(most)}`;
      return why === undefined ? [] : [`${start}${why}`];
    });
  return [
    ...each('min', belowLeast),
    ...each('max', aboveMost),
    ...ratios(limit, { requests, limits }),
  ];
}

type Given = { readonly request: Json | undefined; readonly limit: Json | undefined };
type Fault = (given: Given, bound: Json) => string | undefined;

const belowLeast: Fault = ({ request, limit }, least) => {
  if (request === undefined) return '.  No request is specified';
  if (nanoOf(request) < nanoOf(least)) return `, but request is ${String(request)}`;
  const isLess = limit !== undefined && nanoOf(limit) < nanoOf(least);
  return isLess ? `, but limit is ${String(limit)}` : undefined;
};

const aboveMost: Fault = ({ request, limit }, most) => {
  if (limit === undefined) return '.  No limit is specified';
  if (nanoOf(limit) > nanoOf(most)) return `, but limit is ${String(limit)}`;
  const isMore = request !== undefined && nanoOf(request) > nanoOf(most);
  return isMore ? `, but request is ${String(request)}` : undefined;
};

function ratios(limit: JsonObject, { requests, limits }: Resources): readonly string[] {
  return Object.entries(inside(limit['maxLimitRequestRatio'])).flatMap(([name, most]) => {
    const start = `${name} max limit to request ratio per ${text(limit['type'])} is ${String(most)}`;
    const [request, top] = [nanoOf(requests[name]), nanoOf(limits[name])];
    if (request === 0n) return [`${start}, but no request is specified or request is 0`];
    if (top === 0n) return [`${start}, but no limit is specified or limit is 0`];
    const ratio = Number(top) / Number(request);
    const isMore = ratio > Number(nanoOf(most)) / 1e9;
    return isMore ? [`${start}, but provided ratio is ${ratio.toFixed(6)}`] : [];
  });
}

/** Of storage only what is asked for counts. */
function claimFaults(limit: JsonObject, spec: JsonObject): readonly string[] {
  if (text(limit['type']) !== 'PersistentVolumeClaim') return [];
  const { requests } = resourcesOf(spec);
  return faults(limit, { requests, limits: requests }).map((why) =>
    why
      .replace(/No limit is specified$/, 'No request is specified')
      .replace(/but limit is/, 'but request is'),
  );
}
