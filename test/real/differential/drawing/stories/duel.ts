import type { JsonObject } from '#shared/domain/json.ts';
import type { Dice } from '../../dice.ts';
import { type Edit, edited, mergeOf } from '../../edit.ts';
import type { Step } from '../../step.ts';
import { editsOf, listPath, type Subject, subjects } from '../../subjects.ts';
import { ask } from './ask.ts';

const fought = [
  'configmaps',
  'deployments',
  'services',
  'pods',
  'widgets',
  'poddisruptionbudgets',
  'serviceaccounts',
  'ingresses',
  'networkpolicies',
  'cronjobs',
];

type Duel = {
  readonly dice: Dice;
  readonly subject: Subject;
  readonly path: string;
  /** What is fought about. */
  readonly edits: readonly Edit[];
};

/** Several managers state the same few fields: conflicts, force, fields that are given up, owners that are meddled with. */
export function duel(dice: Dice): readonly Step[] {
  const subject = dice.one(subjects.filter(({ resource }) => fought.includes(resource)));
  const fields = new Set(Array.from({ length: 3 }, () => dice.one(editsOf(subject)).at.join('\n')));
  const edits = editsOf(subject).filter(({ at }) => fields.has(at.join('\n')));
  const of = { dice, subject, edits, path: `${listPath(subject)}/a` };
  const turns = Array.from({ length: 5 + dice.below(6) }, () => turn(of));
  return [applied(of, subject.base), ...turns];
}

function turn(of: Duel): Step {
  return of.dice.weighed<() => Step>([
    [5, () => applied(of, {})],
    [2, () => applied(of, of.subject.base)],
    [2, () => merged(of)],
    [1, () => sent(of)],
    [1, () => meddled(of)],
    [1, () => ask(`GET ${of.path}`)],
    [0.5, () => ask(`DELETE ${of.path}`)],
  ])();
}

function some({ dice, edits }: Duel): readonly Edit[] {
  return Array.from({ length: 1 + dice.below(2) }, () => dice.one(edits));
}

function applied(of: Duel, base: JsonObject): Step {
  const { dice, subject, path } = of;
  const manager = dice.one(['me', 'me', 'you', 'them']);
  const force = dice.chance(0.25) ? '&force=true' : '';
  const own = { ...subject.self, metadata: { name: 'a' } };
  const part = dice.chance(0.1) ? '/status' : '';
  const edits = dice.chance(0.15) ? [] : some(of);
  const isWhole = Object.keys(base).length > 0;
  const config = isWhole
    ? edited({ ...own, ...base }, edits)
    : { ...own, ...mergeOf(edits, subject.base) };
  return ask(`APPLY ${path}${part}?fieldManager=${manager}${force}`, config);
}

function merged(of: Duel): Step {
  const manager = of.dice.one(['me', 'them', 'kubectl-edit']);
  return ask(`MERGE ${of.path}?fieldManager=${manager}`, mergeOf(some(of), of.subject.base));
}

function sent(of: Duel): Step {
  const { subject, path } = of;
  const edits = some(of);
  const otherwise = { ...subject.self, metadata: { name: 'a' }, ...subject.base };
  return {
    ...ask(`PUT ${path}?fieldManager=${of.dice.one(['me', 'you'])}`, null),
    body: { kind: 'seen', path, edits, otherwise },
  };
}

/** What tools do to start anew, or to keep objects small. */
function meddled({ dice, path }: Duel): Step {
  return dice.one([
    ask(`MERGE ${path}`, { metadata: { managedFields: [{}] } }),
    ask(`MERGE ${path}`, { metadata: { managedFields: [] } }),
    ask(`JSON ${path}`, [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }]),
    ask(`JSON ${path}`, [{ op: 'remove', path: '/metadata/managedFields/0' }]),
    ask(`JSON ${path}?fieldManager=them`, [
      { op: 'replace', path: '/metadata/managedFields/0/manager', value: 'other' },
    ]),
  ]);
}
