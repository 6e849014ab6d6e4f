import type { JsonObject } from '#shared/domain/json.ts';
import { inside, metadataOf, objects, text } from '../../access/stated.ts';
import type { Admitting, Reading } from '../../parts.ts';
import { isPod, withSpec } from './step.ts';

/** What a container of the namespace gets where it asks for nothing. */
export function limitRange(what: Admitting, reading: Reading): JsonObject | undefined {
  const { object, namespace } = what;
  if (!isSized(what) || object === undefined) return undefined;
  const ranges = reading.list('limitranges', namespace);
  return ranges.length === 0 ? undefined : ranges.reduce(filledIn, object);
}

/** A pod that is made, or whose containers change in size. */
export function isSized(what: Admitting): boolean {
  return isPod(what, 'resize') || (isPod(what) && what.operation === 'CREATE');
}

const kinds = [
  ['containers', 'container'],
  ['initContainers', 'init container'],
] as const;

function filledIn(pod: JsonObject, range: JsonObject): JsonObject {
  const usual = usualIn(range);
  const spec = inside(pod['spec']);
  const filled = kinds.flatMap(([key, word]) =>
    spec[key] === undefined ? [] : [{ key, word, all: objects(spec[key]).map(withUsual(usual)) }],
  );
  const told = filled.flatMap(({ all, word }) => all.flatMap(wordsOf(word)));
  if (told.length === 0) return pod;
  const changes = filled.map(({ key, all }) => [key, all.map(({ container }) => container)]);
  return annotated(withSpec(pod, Object.fromEntries(changes)), told);
}

type Usual = { readonly limits: JsonObject; readonly requests: JsonObject };

function usualIn({ spec }: JsonObject): Usual {
  const own = objects(inside(spec)['limits']).filter(({ type }) => type === 'Container');
  const all = (key: string) => Object.assign({}, ...own.map((each) => inside(each[key])));
  return { limits: all('default'), requests: all('defaultRequest') };
}

type Filled = {
  readonly container: JsonObject;
  readonly requests: readonly string[];
  readonly limits: readonly string[];
};

function withUsual(usual: Usual) {
  return (container: JsonObject): Filled => {
    const resources = inside(container['resources']);
    const [limits, requests] = [inside(resources['limits']), inside(resources['requests'])];
    const added = {
      requests: missing(usual.requests, requests),
      limits: missing(usual.limits, limits),
    };
    const next = {
      ...resources,
      ...(added.limits.length > 0 && { limits: { ...usual.limits, ...limits } }),
      ...(added.requests.length > 0 && { requests: { ...usual.requests, ...requests } }),
    };
    const isSame = added.limits.length + added.requests.length === 0;
    return { container: isSame ? container : { ...container, resources: next }, ...added };
  };
}

function missing(usual: JsonObject, stated: JsonObject): readonly string[] {
  return Object.keys(usual)
    .filter((key) => stated[key] === undefined)
    .toSorted();
}

function wordsOf(word: string) {
  return ({ container, requests, limits }: Filled): readonly string[] => {
    const whose = `for ${word} ${text(container['name'])}`;
    return [
      ...(requests.length > 0 ? [`${requests.join(', ')} request ${whose}`] : []),
      ...(limits.length > 0 ? [`${limits.join(', ')} limit ${whose}`] : []),
    ];
  };
}

const note = 'kubernetes.io/limit-ranger';

function annotated(pod: JsonObject, told: readonly string[]): JsonObject {
  const metadata = metadataOf(pod);
  const annotations = { ...inside(metadata['annotations']) };
  const text = `LimitRanger plugin set: ${told.join('; ')}`;
  return { ...pod, metadata: { ...metadata, annotations: { ...annotations, [note]: text } } };
}
