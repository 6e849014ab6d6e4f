import {
  type Decoder,
  describe,
  jsonSchema,
  noSuchKey,
  type Problem,
} from '#shared/domain/decode.ts';
import { knownKeys, nearestKey, siblings } from './config/known-keys.ts';

/** What is wrong with a definition, and how to mend it. */
export type Flaw = { readonly why: string; readonly mend: string };

/** `decoder`: it knows the keys that somebody may have meant by one that there is not. */
export function flawOf(problem: Problem, decoder: Decoder<unknown>): Flaw {
  const { path, expected } = problem;
  const isUnknownKey = expected === noSuchKey && !isOfLabels(path);
  return { why: describe(problem), mend: isUnknownKey ? keyMeant(path, decoder) : mendAt(path) };
}

function keyMeant(path: string, decoder: Decoder<unknown>): string {
  const place = path.slice('$.'.length);
  const known = knownKeys(jsonSchema(decoder));
  const nearest = nearestKey(place, known);
  if (nearest !== undefined) return `did you mean ${nearest}?`;
  return `take it out; what may stand there: ${[...new Set(siblings(place, known))].join(', ')}`;
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
  changed: 'as in /spec, /metadata/labels, or /metadata/labels/app.kubernetes.io~1name',
  of: kindAsWritten,
  owner: kindAsWritten,
  all: kindAsWritten,
  indexes: "as in { 'image-digest': (object) => digestsIn(object) }",
  wakes: 'name the kind of an owner, as in { owner: kind }, or all of a kind, as in { all: kind }',
};
