import type { Json, JsonObject } from '#shared/domain/json.ts';
import { type Edit, mergeOf, pointerOf } from '../edit.ts';
import { contentTypes } from '../oddities/forms.ts';
import type { Body, Step } from '../step.ts';
import { type Chooser, objectPath, step } from './chooser.ts';
import { objectFor, oddBody, someEdits } from './objects.ts';
import { writeQuery } from './writes.ts';

export function merged(chooser: Chooser): Step {
  return patched(
    chooser,
    'application/merge-patch+json',
    mergeOf(someEdits(chooser), chooser.subject.base),
  );
}

const directives: readonly JsonObject[] = [
  { $patch: 'replace' },
  { $patch: 'delete' },
  { $patch: 'nope' },
  { $retainKeys: ['a'] },
  { '$deleteFromPrimitiveList/finalizers': ['a.b/c'] },
  { '$setElementOrder/finalizers': ['a.b/c'] },
];

export function strategic(chooser: Chooser): Step {
  const { dice } = chooser;
  const edits = someEdits(chooser);
  const at = dice.one([[], ['metadata'], ['spec']]);
  const more = dice.chance(0.15)
    ? Object.entries(dice.one(directives)).map(([key, value]) => ({ at: [...at, key], value }))
    : [];
  return patched(
    chooser,
    'application/strategic-merge-patch+json',
    mergeOf([...edits, ...more], chooser.subject.base),
  );
}

export function jsonPatched(chooser: Chooser): Step {
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

export function applied(chooser: Chooser): Step {
  const { subject, dice } = chooser;
  const edits = someEdits(chooser, 0);
  const isWhole = dice.chance(0.5);
  const object = isWhole
    ? objectFor(chooser, edits)
    : { ...subject.self, ...mergeOf(edits, subject.base) };
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
  const stated = dice.chance(0.04) ? dice.one(contentTypes.patch) : type;
  const drawn = { method: 'PATCH', path: objectPath(chooser), query: writeQuery(dice), body };
  return step(chooser, drawn, stated);
}
