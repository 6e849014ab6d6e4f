import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { script } from '../kubectl/playing.ts';
import { chapters } from './case.ts';
import { rulings } from './ruling.ts';

export type Difference = { readonly chapter: string; readonly title: string; readonly why: string };

const page = new URL('../../../infra/emulator/cluster/differences.md', import.meta.url);

/** The rows of the page's table: chapter, case, reason. */
export function differencesIn(text: string): readonly Difference[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| Chapter |'))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|')))
    .map(([, chapter = '', title = '', why = '']) => ({ chapter, title, why }));
}

export function listedDifferences(): readonly Difference[] {
  return differencesIn(readFileSync(page, 'utf8'));
}

/** As the contract knows them. */
export function namesOf(listed: readonly Difference[]): ReadonlySet<string> {
  return new Set(listed.map(({ chapter, title }) => `${chapter}: ${title}`));
}

/** Rows that say nothing, or that name no case. */
export function idleIn(
  listed: readonly Difference[],
  known: ReadonlySet<string>,
): readonly string[] {
  const twice = listed.filter(
    ({ chapter, title }, at) =>
      listed.findIndex((one) => one.chapter === chapter && one.title === title) !== at,
  );
  const strange = listed.filter(({ chapter, title }) => !known.has(`${chapter}: ${title}`));
  const mute = listed.filter(({ why }) => why === '');
  return [
    ...strange.map(({ chapter, title }) => `no case is called "${chapter}: ${title}"`),
    ...twice.map(({ chapter, title }) => `"${chapter}: ${title}" is listed twice`),
    ...mute.map(({ chapter, title }) => `"${chapter}: ${title}" has no reason`),
  ];
}

const folderOf = { random: 'differential', stories: 'controlled' };

/** What random requests and stories are known to meet. */
export function metOnBoth(): readonly string[] {
  return Object.entries(folderOf).flatMap(([chapter, folder]) => {
    const known = new URL(`../../real/${folder}/known.yaml`, import.meta.url);
    const all = parse(readFileSync(known, 'utf8')) as readonly { readonly what: string }[];
    return all.map(({ what }) => `${chapter}: ${what}`);
  });
}

export function knownCases(): ReadonlySet<string> {
  const all = [...chapters('plain'), ...chapters('controlled')];
  return new Set([
    ...metOnBoth(),
    ...all.flatMap(({ name, cases }) => cases.map(({ title }) => `${name}: ${title}`)),
    ...rulings().map(({ rule }) => `rules: ${rule}`),
    ...script('plain').map(([command]) => `kubectl: ${command}`),
    ...script('controlled').map(([command]) => `kubectl with controllers: ${command}`),
  ]);
}
