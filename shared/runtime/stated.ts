import {
  anything,
  choice,
  type Decoder,
  decode,
  dictionary,
  either,
  flag,
  integerFrom,
  list,
  maybe,
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
import { changedPath } from './changed-path.ts';
import { period } from './every-seconds.ts';
import { type Flaw, flawOf } from './flaw.ts';

/** The compiler says most of this to whoever asks it; a function file may come without having been asked. */
export function flawsOf(exported: unknown, name: string): readonly Flaw[] {
  const { shape, ...written } = isJsonObject(exported) ? exported : {};
  const decoder = shapes.get(shape);
  if (decoder === undefined) return [noDefinition];

  const result = decode(decoder, written);
  const flaws = result.ok ? [] : result.problems.map((each) => flawOf(each, decoder));
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

const configured = <T>(fallback: Decoder<T>) => strictRecord({ setting: filled, fallback });
const placeName = configured(objectName);
const place = strictRecord({ namespace: placeName, name: placeName });

const right = strictRecord({
  kind,
  subresource: maybe(filled),
  verbs: some(choice('get', 'list', 'watch', 'create', 'update', 'patch', 'delete')),
  names: maybe(list(either(filled, placeName))),
  namespace: maybe(filled),
});

const stated = {
  name: kebab,
  capability: filled,
  summary: maybe(text),
  uses: list(port),
  reads: maybe(list(readable)),
  handler,
  access: maybe(list(right)),
};

const admissionTrigger = strictRecord({
  group: maybe(text),
  version: maybe(text),
  resources: some(filled),
  operations: some(choice('CREATE', 'UPDATE', 'DELETE', 'CONNECT')),
  namespaceSelector: maybe(configured(labelSelector)),
  object: maybe(place),
  objectSelector: maybe(labelSelector),
  matchConditions: maybe(list(strictRecord({ name: filled, expression: filled }))),
});

const replaced = strictRecord({
  configuration: filled,
  webhook: filled,
  service: filled,
  path: filled,
});

const admission = strictRecord({
  ...stated,
  phase: choice('mutate', 'validate'),
  deadlineMs: integerFrom(1, 29_000),
  schema,
  onFailure: either(failureAnswer, configured(failureAnswer)),
  isRepeatable: maybe(flag),
  replaces: maybe(replaced),
  trigger: admissionTrigger,
});

const fields = refine(
  text,
  (selector) => parseFieldSelector(selector) !== undefined,
  'a field selector such as spec.nodeName=worker-1',
);

const indexes = refine(
  dictionary(handler),
  // They are noted as one,other, and a key of one stands behind it: one=key.
  (makers) => Object.keys(makers).every((name) => /^[^,=]+$/.test(name)),
  'names without , and =, as in image-digest',
);

const watchOfAny = strictRecord({
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
  changed: maybe(some(changedPath)),
  wakes: maybe(either(strictRecord({ owner: kind }), strictRecord({ all: kind }))),
  indexes: maybe(indexes),
});

const placedWatch = refine(
  watchOfAny,
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

const reconcileTrigger = strictRecord({
  watch: maybe(either(watch, some(watch))),
  everySeconds: maybe(either(period, configured(period))),
});

const reconcile = strictRecord({
  ...stated,
  // A batch of five within the 15 minutes that a Lambda has.
  deadlineMs: integerFrom(1, 170_000),
  trigger: refine(
    reconcileTrigger,
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

const endpoint = strictRecord({
  ...stated,
  deadlineMs: integerFrom(1, 29_000),
  trigger: strictRecord({ path }),
});

const shapes = new Map<unknown, Decoder<unknown>>([
  ['admission', admission],
  ['reconcile', reconcile],
  ['endpoint', endpoint],
]);
