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
  type Problem,
  record,
  refine,
  text,
} from '#shared/domain/decode.ts';
import { parseFieldSelector } from '#shared/domain/field-selector.ts';
import { isJsonObject } from '#shared/domain/json.ts';
import { parsePointer } from '#shared/domain/json-pointer.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { Ports } from '#shared/ports.ts';

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
  const [, key = ''] = /^\$\.([A-Za-z]+)/.exec(problem.path) ?? [];
  return { why: describe(problem), mend: mends[key] ?? 'see the types of gatehouse/define' };
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

const kind = record({ group: text, version: text, resource: text });

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

const selector = record({
  matchLabels: maybe(dictionary(text)),
  matchExpressions: maybe(list(record({ key: text, operator: text }))),
});

const configured = record({ setting: filled, fallback: anything });
const place = record({ namespace: configured, name: configured });

const admission = record({
  ...stated,
  phase: choice('mutate', 'validate'),
  deadlineMs: integerFrom(1, 29_000),
  schema,
  onFailure: either(choice('allow-with-warning', 'deny'), configured),
  trigger: record({
    group: maybe(text),
    resources: some(filled),
    operations: some(choice('CREATE', 'UPDATE', 'DELETE', 'CONNECT')),
    namespaceSelector: maybe(configured),
    object: maybe(place),
    objectSelector: maybe(selector),
    matchConditions: maybe(list(record({ name: filled, expression: filled }))),
  }),
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

const anyWatch = refine(
  record({
    of: kind,
    namespace: maybe(filled),
    name: maybe(filled),
    place: maybe(either(place, record({ name: configured }))),
    settings: maybe(some(filled)),
    labels: maybe(selector),
    fields: maybe(fields),
    atServer: maybe(flag),
    metadataOnly: maybe(flag),
    on: maybe(some(choice('added', 'modified', 'deleted'))),
    changed: maybe(some(pointer)),
    wakes: maybe(either(record({ owner: kind }), record({ all: kind }))),
    indexes: maybe(dictionary(handler)),
  }),
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

const period = integerFrom(1, 7 * 24 * 3_600);

const reconcile = record({
  ...stated,
  // A batch of five within the 15 minutes that a Lambda has.
  deadlineMs: integerFrom(1, 170_000),
  trigger: refine(
    record({
      watch: maybe(either(watch, some(watch))),
      everySeconds: maybe(either(period, record({ setting: filled, fallback: period }))),
    }),
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
  trigger: record({ path }),
});

const shapes = new Map<unknown, Decoder<unknown>>([
  ['admission', admission],
  ['reconcile', reconcile],
  ['endpoint', endpoint],
]);
