import type { Dice } from '../../dice.ts';
import type { Step } from '../../step.ts';
import { listPath, type Subject, subjects } from '../../subjects.ts';
import { ask } from './ask.ts';

const listed = ['configmaps', 'pods', 'secrets', 'widgets', 'services', 'deployments', 'events'];
const letters = ['a', 'b', 'c', 'd', 'e', 'f'];
const labels = [{ a: 'b' }, { a: 'c' }, { a: 'b', n: '5' }, {}];

const selectors = [
  ...['', '', 'labelSelector=a%3Db', 'labelSelector=a', 'labelSelector=!a'],
  ...['labelSelector=a%20notin%20(b)', 'labelSelector=a%3Db,n%3E4', 'labelSelector=n%3C5'],
  ...['fieldSelector=metadata.name!%3Db', 'fieldSelector=metadata.name%3Dc'],
  'labelSelector=a%3Db&fieldSelector=metadata.name!%3Da',
];

function many(dice: Dice) {
  const subject = dice.one(subjects.filter(({ resource }) => listed.includes(resource)));
  const made = letters.slice(0, 3 + dice.below(4)).map((name) => madeAs(subject, name, dice));
  return { subject, path: listPath(subject), made };
}

function madeAs(subject: Subject, name: string, dice: Dice): Step {
  const metadata = { name, labels: dice.one(labels) };
  const marks = name === 'b' ? { marks: 'then' } : {};
  return ask(`POST ${listPath(subject)}`, { ...subject.self, metadata, ...subject.base }, marks);
}

/** Lists in pages, by selectors, of the past, and while others write. */
export function paging(dice: Dice): readonly Step[] {
  const { path, made } = many(dice);
  const rounds = Array.from({ length: 2 + dice.below(3) }, () => pages(path, dice));
  return [...made, ...rounds.flat()];
}

function pages(path: string, dice: Dice): readonly Step[] {
  const selector = dice.one(selectors);
  const limit = `limit=${1 + dice.below(3)}`;
  const verb = dice.chance(0.25) ? 'TABLE' : 'GET';
  const past = dice.one(['', '', 'resourceVersion=0', 'resourceVersion={then}', pastExactly]);
  const first = ask(`${verb} ${path}?${joined(selector, limit, past)}`);
  const next = ask(`${verb} ${path}?${joined(selector, limit, 'continue={token}')}`);
  return [first, ...(dice.chance(0.5) ? [between(path, dice)] : []), next, next];
}

const pastExactly = 'resourceVersion={then}&resourceVersionMatch=Exact';

function between(path: string, dice: Dice): Step {
  const name = dice.one(letters);
  return dice.one([
    ask(`DELETE ${path}/${name}?gracePeriodSeconds=0`),
    ask(`MERGE ${path}/${name}`, { metadata: { labels: { a: dice.one(['b', 'c', null]) } } }),
    ask(`DELETE ${path}?${joined(dice.one(selectors), 'gracePeriodSeconds=0')}`),
  ]);
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('&');
}

/** Watches from a version in the past on, which objects come into and leave. */
export function following(dice: Dice): readonly Step[] {
  const { path, made } = many(dice);
  const changes = Array.from({ length: 3 + dice.below(4) }, () => between(path, dice));
  const watches = Array.from({ length: 2 }, () => {
    const more = dice.one(['', '', 'allowWatchBookmarks=true', initial]);
    return ask(`WATCH ${path}?${joined('resourceVersion={then}', dice.one(selectors), more)}`);
  });
  return [...made, ...changes, ...watches];
}

const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
