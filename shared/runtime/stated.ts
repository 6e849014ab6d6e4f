import {
  anything,
  choice,
  type Decoder,
  decode,
  describe,
  dictionary,
  either,
  flag,
  integerFrom,
  list,
  maybe,
  noSuchKey,
  type Problem,
  record,
  refine,
  strictRecord,
  text,
} from '#shared/domain/decode.ts';
import { parseFieldSelector } from '#shared/domain/field-selector.ts';
import { isJsonObject } from '#shared/domain/json.ts';
import { parsePointer } from '#shared/domain/json-pointer.ts';
import type { Kind } from '#shared/domain/kind.ts';
import { objectName } from '#shared/domain/place.ts';
import { labelSelector } from '#shared/domain/selector.ts';
import type { Ports } from '#shared/ports.ts';
import { failureAnswer } from './admission/on-failure.ts';
import { nearestKey } from './config/known-keys.ts';
import { period } from './every-seconds.ts';

/** What is wrong with a definition, and how to mend it. */
export type Flaw = { readonly why: string; readonly mend: string };

/** The compiler says most of this to whoever asks it; a function file may come without having been asked. */
export function flawsOf(exported: unknown, name: string): readonly Flaw[] {
  const shape = isJsonObject(exported) ? exported['shape'] : undefined;
  const decoder = shapes.get(shape);
  if (decoder === undefined) return [noDefinition];

  const result = decode(decoder, exported);
  const flaws = result.ok ? [] : result.problems.map(flawOf);
  return hasName(exported, name) ? flaws : [...flaws, misnamed(name)];
}

const noDefinition: Flaw = {
  why: 'it exports no function by default',
  mend: 'write `export default defineAdmission({ … })` (or defineReconcile, defineEndpoint); a file that is no function starts its name with _ or stands outside of the folder',
};

function hasName(exported: unknown, name: string): boolean {
  return isJsonObject(exported) && exported['name'] === name;
}

function misnamed(name: string): Flaw {
  const why = `$.name: expected ${JSON.stringify(name)}, as the file is called`;
  return { why, mend: `write name: '${name}', or rename the file` };
}

function flawOf(problem: Problem): Flaw {
  return { why: describe(problem), mend: unknownKey(problem) ?? mendAt(problem.path) };
}

function unknownKey({ path, expected }: Problem): string | undefined {
  if (expected !== noSuchKey || isOfLabels(path)) return undefined;
  const nearest = nearestKey(path.slice(path.lastIndexOf('.') + 1), triggerKeys);
  return nearest === undefined ? undefined : `did you mean ${nearest}?`;
}

/** A map of labels is the common slip, and its keys are nobody's typing errors. */
function isOfLabels(path: string): boolean {
  return /\.(labels|objectSelector)\./.test(path);
}

function mendAt(path: string): string {
  const [top = '', ...below] = path.slice(2).split(/[.[\]]+/);
  const deeper = below.findLast((key) => Object.hasOwn(mendsInTrigger, key)) ?? '';
  return mendsInTrigger[deeper] ?? mends[top] ?? 'see the types of gatehouse/define';
}

const mends: Readonly<Record<string, string>> = {
  name: 'lower-case letters, digits and dashes, as in require-digest',
  capability: "name what switches it on, as in capability: 'my-rules'",
  phase: 'mutate changes objects, validate refuses them',
  trigger: 'say what wakes it; see the types of gatehouse/define',
  schema: 'make it of the words that gatehouse/define exports, as in record({ spec: anything })',
  uses: 'name ports that there are; the handler gets these and no others',
  onFailure:
    "state what is answered when it cannot decide: 'allow-with-warning', 'deny', or { setting, fallback }",
  deadlineMs:
    'in milliseconds: an admission function answers within 29 s (and within server.timeoutSeconds), an endpoint within 29 s, a reconcile function within 170 s',
  access: 'each with a kind and its verbs; see Access in the types of gatehouse/define',
  handler: 'write handler(…) { … }',
};

const selectorAsWritten =
  "as in { matchLabels: { team: 'blue' } }, or { matchExpressions: [{ key: 'team', operator: 'In', values: ['blue'] }] }";
const kindAsWritten =
  "all of a kind is told, as in { group: '', version: 'v1', kind: 'Pod', resource: 'pods', namespaced: true }";

const mendsInTrigger: Readonly<Record<string, string>> = {
  labels: selectorAsWritten,
  objectSelector: selectorAsWritten,
  namespaceSelector: `write { setting, fallback }, with a selector as fallback, ${selectorAsWritten}`,
  of: kindAsWritten,
  owner: kindAsWritten,
  all: kindAsWritten,
  wakes: 'name the kind of an owner, as in { owner: kind }, or all of a kind, as in { all: kind }',
};

const ports: readonly string[] = Object.keys({
  clock: true,
  settings: true,
  namespaces: true,
  nodes: true,
  bootstrapDocument: true,
  cluster: true,
  mirror: true,
  conditions: true,
  measures: true,
  events: true,
  certificates: true,
  restarts: true,
  images: true,
} satisfies Record<keyof Ports, true>);

const kebab = refine(
  text,
  (name) => /^[a-z][a-z0-9-]{0,62}$/.test(name),
  'a name such as forbid-latest',
);
const filled = refine(text, (value) => value !== '', 'a text that is not empty');
const port = refine(text, (name) => ports.includes(name), `one of ${ports.join(', ')}`);
const handler = refine(anything, (value) => typeof value === 'function', 'a function');
const schema = refine(anything, isDecoder, 'a decoder');

function isDecoder(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '_zod' in value;
}

const some = <T>(item: Decoder<T>) =>
  refine(list(item), (items) => items.length > 0, 'at least one');

const kind = record({
  group: text,
  version: filled,
  kind: filled,
  resource: filled,
  namespaced: flag,
});

function isSecret({ group, resource }: Pick<Kind, 'group' | 'resource'>): boolean {
  return group === '' && resource === 'secrets';
}

const readable = refine(
  kind,
  (one) => !isSecret(one),
  'no Secrets, which are not mirrored: watch one by its name, and read it by a port',
);

const stated = {
  name: kebab,
  capability: filled,
  summary: maybe(text),
  uses: list(port),
  reads: maybe(list(readable)),
  handler,
  access: maybe(list(record({ kind: record({ resource: text }), verbs: some(text) }))),
};

const configured = <T>(fallback: Decoder<T>) => strictRecord({ setting: filled, fallback });
const placeName = configured(objectName);
const place = strictRecord({ namespace: placeName, name: placeName });

const admissionTrigger = {
  group: maybe(text),
  version: maybe(text),
  resources: some(filled),
  operations: some(choice('CREATE', 'UPDATE', 'DELETE', 'CONNECT')),
  namespaceSelector: maybe(configured(labelSelector)),
  object: maybe(place),
  objectSelector: maybe(labelSelector),
  matchConditions: maybe(list(strictRecord({ name: filled, expression: filled }))),
};

const admission = record({
  ...stated,
  phase: choice('mutate', 'validate'),
  deadlineMs: integerFrom(1, 29_000),
  schema,
  onFailure: either(failureAnswer, configured(failureAnswer)),
  trigger: strictRecord(admissionTrigger),
});

const pointer = refine(
  text,
  (path) => path.startsWith('/') && parsePointer(path) !== undefined,
  'a JSON pointer such as /spec',
);
const fields = refine(
  text,
  (selector) => parseFieldSelector(selector) !== undefined,
  'a field selector such as spec.nodeName=worker-1',
);

const watchKeys = {
  of: kind,
  namespace: maybe(filled),
  name: maybe(filled),
  place: maybe(either(place, strictRecord({ name: placeName }))),
  settings: maybe(some(filled)),
  labels: maybe(labelSelector),
  fields: maybe(fields),
  atServer: maybe(flag),
  metadataOnly: maybe(flag),
  on: maybe(some(choice('added', 'modified', 'deleted'))),
  changed: maybe(some(pointer)),
  wakes: maybe(either(strictRecord({ owner: kind }), strictRecord({ all: kind }))),
  indexes: maybe(dictionary(handler)),
};

const placedWatch = refine(
  strictRecord(watchKeys),
  ({ of, namespace, place }) =>
    of.namespaced || (namespace === undefined && !(place !== undefined && 'namespace' in place)),
  'no namespace, since objects of its kind are in none',
);

const anyWatch = refine(
  placedWatch,
  // Else its role would have to read every Secret of the cluster.
  ({ of, name, place, wakes }) =>
    (!isSecret(of) || (name ?? place) !== undefined) &&
    (wakes === undefined || 'owner' in wakes || !isSecret(wakes.all)),
  'a name, and no wakes of all, since Secrets are watched by their names alone',
);

const watchOfMetadata = refine(
  anyWatch,
  // The rest of the object never comes: such a filter would match nobody, and such a change would never be seen.
  ({ of, metadataOnly, fields, changed = [] }) =>
    !(metadataOnly === true || isSecret(of)) ||
    (changed.every((path) => parsePointer(path)?.[0] === 'metadata') &&
      (parseFieldSelector(fields ?? '') ?? []).every(({ field }) => field.startsWith('metadata.'))),
  'fields and changed paths of metadata, which is all that is watched of it',
);

const watch = refine(
  watchOfMetadata,
  // They never reach the mirror (shared/domain/mirrored.ts), by which changes are seen.
  ({ of, fields, changed = [] }) =>
    !isSecret(of) ||
    !(
      changed.some((path) => parsePointer(path)?.[1] === 'annotations') ||
      (parseFieldSelector(fields ?? '') ?? []).some(({ field }) => isOfAnnotations(field))
    ),
  "no fields and changed paths of a Secret's annotations, which are not mirrored since its bytes may stand in them",
);

function isOfAnnotations(field: string): boolean {
  return /^metadata\.annotations\b/.test(field);
}

const reconcileTrigger = {
  watch: maybe(either(watch, some(watch))),
  everySeconds: maybe(either(period, configured(period))),
};

const triggerKeys = Object.keys({ ...admissionTrigger, ...reconcileTrigger, ...watchKeys });

const reconcile = record({
  ...stated,
  // A batch of five within the 15 minutes that a Lambda has.
  deadlineMs: integerFrom(1, 170_000),
  trigger: refine(
    strictRecord(reconcileTrigger),
    ({ watch, everySeconds }) => watch !== undefined || everySeconds !== undefined,
    'watch, everySeconds, or both',
  ),
});

const taken = /^\/(mutate|validate|defaulting|validation|healthz|readyz|metrics)(\/|$)/;
const path = refine(
  text,
  (value) => /^(\/[A-Za-z0-9._~-]+)+$/.test(value) && !taken.test(value),
  'a path such as /apis/example.org, which is not one of our own',
);

const endpoint = record({
  ...stated,
  deadlineMs: integerFrom(1, 29_000),
  trigger: strictRecord({ path }),
});

const shapes = new Map<unknown, Decoder<unknown>>([
  ['admission', admission],
  ['reconcile', reconcile],
  ['endpoint', endpoint],
]);
