import type { Json, JsonObject } from '#shared/domain/json.ts';
import { fieldOf } from './by-schema.ts';
import type { Dice } from './dice.ts';
import { type Edit, edited, mergeOf, pointerOf } from './edit.ts';
import * as odd from './oddities.ts';
import type { Body, Step } from './step.ts';
import { editsOf, listPath, type Subject, subjects } from './subjects.ts';

type Chooser = { readonly subject: Subject; readonly dice: Dice };

const longest = 9;

/** A life of one or two objects of a kind, as a client that makes some mistakes leads it. */
export function sequenceOf(dice: Dice, among: readonly Subject[] = subjects): readonly Step[] {
  const subject = dice.weighed(among.map((each) => [each.weight, each] as const));
  const chooser = { subject, dice };
  const first = dice.weighed([
    [7, [plainlyMade(chooser)]],
    [2, [made(chooser)]],
    [1, []],
  ]);
  const others = Array.from({ length: 3 + dice.below(longest - 3) }, () => next(chooser));
  return [...first, ...others];
}

function next(chooser: Chooser): Step {
  return chooser.dice.weighed<(of: Chooser) => Step>([
    [3, made],
    [4, updated],
    [3, merged],
    [3, strategic],
    [3, jsonPatched],
    [6, applied],
    [4, got],
    [3, listed],
    [1, watched],
    [3, removed],
    [1, removedAll],
    [4, below],
    [2, strange],
  ])(chooser);
}

/** With nothing that could be refused. */
function plainlyMade({ subject, dice }: Chooser): Step {
  const name = dice.chance(0.85) ? 'a' : 'b';
  const metadata = { name: subject.name ?? (subject.cluster === true ? `{ns}-${name}` : name) };
  const value = { ...subject.self, metadata, ...subject.base };
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const query = dice.chance(0.3) ? ['fieldManager=me'] : [];
  return { method: 'POST', path: listPath(subject), query, headers, body: { kind: 'json', value } };
}

function made(chooser: Chooser): Step {
  const { subject, dice } = chooser;
  const body = dice.chance(0.04) ? oddBody(dice) : whole(chooser);
  return step(chooser, { method: 'POST', path: listPath(subject), query: writeQuery(dice), body });
}

function updated(chooser: Chooser): Step {
  const { dice } = chooser;
  const path = objectPath(chooser);
  const body = dice.chance(0.04) ? oddBody(dice) : seen(chooser, path);
  return step(chooser, { method: 'PUT', path, query: writeQuery(dice), body });
}

function seen(chooser: Chooser, path: string): Body {
  const edits = someEdits(chooser, 0);
  const otherwise = objectFor(chooser, edits);
  return { kind: 'seen', path: withoutSubresource(path), edits, otherwise };
}

/** Subresources are changed as a part of the whole. */
function withoutSubresource(path: string): string {
  return path.replace(/\/(status|resize|ephemeralcontainers|finalize|approval|nope)$/, '');
}

function merged(chooser: Chooser): Step {
  return patched(chooser, 'application/merge-patch+json', mergeOf(someEdits(chooser)));
}

const directives: readonly JsonObject[] = [
  { $patch: 'replace' },
  { $patch: 'delete' },
  { $patch: 'nope' },
  { $retainKeys: ['a'] },
  { '$deleteFromPrimitiveList/finalizers': ['a.b/c'] },
  { '$setElementOrder/finalizers': ['a.b/c'] },
];

function strategic(chooser: Chooser): Step {
  const { dice } = chooser;
  const edits = someEdits(chooser);
  const at = dice.one([[], ['metadata'], ['spec']]);
  const more = dice.chance(0.15)
    ? Object.entries(dice.one(directives)).map(([key, value]) => ({ at: [...at, key], value }))
    : [];
  return patched(chooser, 'application/strategic-merge-patch+json', mergeOf([...edits, ...more]));
}

function jsonPatched(chooser: Chooser): Step {
  const operations = someEdits(chooser).map(({ at, value }) => operation(chooser, { at, value }));
  return patched(chooser, 'application/json-patch+json', operations);
}

function operation({ dice }: Chooser, { at, value }: Edit): Json {
  const path = dice.chance(0.05)
    ? dice.one(['', '/', 'x', '/spec/-', '/metadata/x/y', '/~2', '/spec/0'])
    : pointerOf(at);
  const op = dice.weighed<string>([
    [5, 'add'],
    [4, 'replace'],
    [3, 'remove'],
    [2, 'test'],
    [1, 'copy'],
    [1, 'move'],
    [0.5, 'nope'],
  ]);
  if (op === 'remove') return { op, path };
  if (op === 'copy' || op === 'move')
    return { op, path, from: dice.one(['/metadata/name', '/metadata/labels', '/nope', path]) };
  return { op, path, value: value ?? null };
}

function applied(chooser: Chooser): Step {
  const { subject, dice } = chooser;
  const edits = someEdits(chooser, 0);
  const isWhole = dice.chance(0.5);
  const object = isWhole ? objectFor(chooser, edits) : edited({ ...subject.self }, edits);
  const manager = dice.one([
    'fieldManager=me',
    'fieldManager=you',
    'fieldManager=me',
    'fieldManager=kubectl',
    '',
  ]);
  const query = [
    manager,
    dice.chance(0.3) ? 'force=true' : '',
    ...(dice.chance(0.2) ? writeQuery(dice) : []),
  ].filter((each) => each !== '');
  return { ...patched(chooser, 'application/apply-patch+yaml', object), query };
}

function patched(chooser: Chooser, type: string, value: Json): Step {
  const { dice } = chooser;
  const body: Body = dice.chance(0.04) ? oddBody(dice) : { kind: 'json', value };
  const stated = dice.chance(0.04) ? dice.one(odd.contentTypes.patch) : type;
  const drawn = { method: 'PATCH', path: objectPath(chooser), query: writeQuery(dice), body };
  return step(chooser, drawn, stated);
}

function got(chooser: Chooser): Step {
  const { dice } = chooser;
  const query = dice.chance(0.2)
    ? [dice.one([...odd.readQueries.odd, ...odd.readQueries.usual])]
    : [];
  return step(chooser, { method: 'GET', path: objectPath(chooser), query, body: undefined });
}

function listed(chooser: Chooser): Step {
  const { dice, subject } = chooser;
  const isAll = subject.cluster !== true && dice.chance(0.1);
  const path = isAll ? `${subject.at}/${subject.resource}` : listPath(subject);
  const query = isAll ? ['fieldSelector=metadata.namespace%3D{ns}'] : listQuery(subject, dice);
  return step(chooser, { method: 'GET', path, query, body: undefined });
}

/** What others have made is not looked at. */
function ownOnly({ cluster, name }: Subject, dice: Dice): readonly string[] {
  if (cluster !== true) return [];
  return [`fieldSelector=metadata.name%3D${name ?? `{ns}-${dice.one(odd.names.usual)}`}`];
}

function listQuery(subject: Subject, dice: Dice): readonly string[] {
  const more = dice.chance(0.6)
    ? [dice.one(dice.chance(0.6) ? odd.readQueries.usual : odd.readQueries.odd)]
    : [];
  return [...ownOnly(subject, dice), ...more];
}

function watched(chooser: Chooser): Step {
  const { dice, subject } = chooser;
  const query = [
    'watch=true',
    'timeoutSeconds=1',
    ...ownOnly(subject, dice),
    dice.one(odd.watchQueries),
  ].filter((each) => each !== '');
  return step(chooser, { method: 'GET', path: listPath(subject), query, body: undefined });
}

function removed(chooser: Chooser): Step {
  const { dice } = chooser;
  const drawn = {
    method: 'DELETE',
    path: objectPath(chooser),
    query: deleteQuery(dice),
    body: deleteBody(dice),
  };
  return step(chooser, drawn);
}

function removedAll(chooser: Chooser): Step {
  const { dice, subject } = chooser;
  const query = [...ownOnly(subject, dice), ...deleteQuery(dice)];
  const path = listPath(subject);
  return step(chooser, { method: 'DELETE', path, query, body: deleteBody(dice) });
}

function deleteQuery(dice: Dice): readonly string[] {
  if (dice.chance(0.5)) return [];
  return [dice.one(dice.chance(0.7) ? odd.deleteQueries.usual : odd.deleteQueries.odd)];
}

function deleteBody(dice: Dice): Body | undefined {
  return dice.chance(0.35) ? { kind: 'text', text: dice.one(odd.deleteBodies) } : undefined;
}

/** The same verbs, on a part of the object. */
function below(chooser: Chooser): Step {
  const { subject, dice } = chooser;
  const [some] = subject.subresources;
  if (some === undefined) return got(chooser);
  const name = dice.one([...subject.subresources, some, some, some]);
  const verb = dice.weighed<(of: Chooser) => Step>([
    [3, updated],
    [2, merged],
    [2, strategic],
    [1, jsonPatched],
    [3, applied],
    [3, got],
    [1, made],
    [0.5, removed],
  ]);
  const isView = name === 'scale' || name === 'eviction' || name === 'binding' || name === 'token';
  const drawn = verb(chooser);
  const path = `${drawn.method === 'POST' ? objectPath(chooser) : drawn.path}/${name}`;
  return isView && drawn.body !== undefined
    ? { ...drawn, path, body: viewBody(name, drawn, dice) }
    : { ...drawn, path };
}

function viewBody(name: string, { method, headers }: Step, dice: Dice): Body {
  const scales: readonly Json[] = [
    {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'a', namespace: '{ns}' },
      spec: { replicas: dice.one([0, 1, 4, -1]) },
    },
    { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 2 } },
    {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'a', resourceVersion: '{rv}' },
      spec: { replicas: 5 },
    },
    { spec: { replicas: 'x' } },
    { kind: 'Nope', spec: { replicas: 1 } },
    {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'a' },
      spec: { replicas: 3, unknown: 1 },
      status: { replicas: 9 },
    },
  ];
  const actions: Readonly<Record<string, readonly Json[]>> = {
    eviction: [
      { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } },
      { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'z' } },
      {},
      { apiVersion: 'policy/v1beta1', kind: 'Eviction', metadata: { name: 'a' } },
      {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'a' },
        deleteOptions: { dryRun: ['All'], preconditions: { uid: 'x' } },
      },
    ],
    binding: [
      {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'a' },
        target: { kind: 'Node', name: 'n' },
      },
      { target: { name: 'n' } },
      { metadata: { name: 'a' }, target: { kind: 'Pod', name: 'n' } },
      { metadata: { name: 'a' } },
    ],
    token: [
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
      { spec: { expirationSeconds: 5 } },
      { spec: { boundObjectRef: { kind: 'Pod', name: 'x' } } },
      { kind: 'Nope' },
    ],
  };
  if (method === 'PATCH' && /json-patch/.test(headers['content-type'] ?? '')) {
    return {
      kind: 'json',
      value: [
        {
          op: dice.one(['replace', 'add', 'test']),
          path: '/spec/replicas',
          value: dice.one([2, -1, 'x', 1]),
        },
      ],
    };
  }
  return { kind: 'json', value: dice.one(actions[name] ?? scales) };
}

/** What nobody asks, and what somebody might. */
function strange(chooser: Chooser): Step {
  const { subject, dice } = chooser;
  const path = dice.one([
    listPath(subject),
    `${listPath(subject)}/a`,
    `${subject.at}/${subject.resource}/a`,
    `${subject.at}/namespaces/{ns}/${subject.resource}/a/b/c`,
    `${subject.at}/watch/${listPath(subject).slice(subject.at.length + 1)}?timeoutSeconds=1`,
    `${subject.at}/namespaces/{ns}/nopes`,
    `${subject.at}/namespaces/{ns}/${subject.resource}/`,
    `${subject.at}/namespaces/none-such/${subject.resource}`,
    `${subject.at}/nope`,
    subject.at,
    `${subject.at}/`,
    `${subject.at.replace(/v1$/, 'v9')}/${subject.resource}`,
    `/nope${subject.at}`,
    listPath(subject).toUpperCase().replace('{NS}', '{ns}'),
    `/${listPath(subject)}`,
  ]);
  const method = dice.one([
    'GET',
    'GET',
    'GET',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'HEAD',
    'OPTIONS',
  ]);
  const isBare = ['GET', 'HEAD', 'OPTIONS', 'DELETE'].includes(method);
  // A whole kind of the cluster is not thrown away.
  if (method === 'DELETE' && subject.cluster === true) return strange(chooser);
  const isAll = isBare && !/\/a(\/|$)|\{ns\}/.test(path);
  const query = isAll
    ? subject.cluster === true
      ? ownOnly(subject, dice)
      : ['fieldSelector=metadata.namespace%3D{ns}']
    : [];
  const body: Body | undefined = isBare ? undefined : whole(chooser);
  const [at = '', stated] = path.split('?');
  return step(chooser, {
    method,
    path: at,
    query: [...query, ...(stated === undefined ? [] : [stated])],
    body,
  });
}

type Drawn = Omit<Step, 'headers'>;

function step({ dice }: Chooser, drawn: Drawn, type = 'application/json'): Step {
  const isWhole = drawn.method === 'POST' || drawn.method === 'PUT' || drawn.method === 'DELETE';
  const stated = isWhole && dice.chance(0.04) ? dice.one(odd.contentTypes.whole) : type;
  const isTyped = drawn.body !== undefined && stated !== '';
  const accept = drawn.query.includes('watch=true') ? watchedForm(dice) : form(dice);
  return { ...drawn, headers: { accept, ...(isTyped && { 'content-type': stated }) } };
}

function form(dice: Dice): string {
  if (!dice.chance(0.15)) return 'application/json';
  return dice.one(dice.chance(0.7) ? odd.accepts.usual : odd.accepts.odd);
}

/** YAML that goes on has no end to read to. */
function watchedForm(dice: Dice): string {
  const forms = odd.accepts.usual.filter((each) => each !== 'application/yaml');
  return dice.chance(0.3) ? dice.one(forms) : 'application/json';
}

function writeQuery(dice: Dice): readonly string[] {
  if (dice.chance(0.65)) return [];
  return [dice.one(dice.chance(0.8) ? odd.writeQueries.usual : odd.writeQueries.odd)];
}

function oddBody(dice: Dice): Body {
  return { kind: 'text', text: dice.one(odd.bodies) };
}

function nameOf({ subject, dice }: Chooser): string {
  if (dice.chance(0.04)) return dice.one(odd.names.odd);
  const name = dice.one([...odd.names.usual, 'a', 'a', 'a', 'a']);
  return subject.name ?? (subject.cluster === true ? `{ns}-${name}` : name);
}

function objectPath(chooser: Chooser): string {
  return `${listPath(chooser.subject)}/${nameOf(chooser)}`;
}

function whole(chooser: Chooser): Body {
  return { kind: 'json', value: objectFor(chooser, someEdits(chooser, 0)) };
}

function objectFor(chooser: Chooser, edits: readonly Edit[]): JsonObject {
  const { subject } = chooser;
  const object = { ...subject.self, metadata: { name: nameOf(chooser) }, ...subject.base };
  return edited(object, edits);
}

/** Mostly one or two. */
function someEdits(chooser: Chooser, least = 1): readonly Edit[] {
  const { dice } = chooser;
  const count = Math.max(
    least,
    dice.weighed([
      [3, 0],
      [8, 1],
      [2, 2],
      [1, 3],
    ]),
  );
  return Array.from({ length: count }, () => edit(chooser));
}

function edit({ subject, dice }: Chooser): Edit {
  const which = dice.next();
  const own = editsOf(subject);
  if (which < 0.62) return dice.one(own);
  if (which < 0.85) return aboutMetadata(dice);
  return fieldOf(subject, dice) ?? dice.one(own);
}

function aboutMetadata(dice: Dice): Edit {
  const [key, values] = dice.one(Object.entries(odd.metadata));
  const value = dice.one(values) as Json | null;
  return { at: ['metadata', ...key.split('.')], value: value ?? undefined };
}
