import { pointer } from '../json-pointer.ts';
import type { Change } from '../verdict.ts';
import { appended } from './edits.ts';
import type { Started } from './pod.ts';

export type Variable = {
  readonly name: string;
  readonly value: string;
  readonly why: string;
  /** Whether the container's own word on it stands. */
  readonly isOffered: boolean;
};

const fipsNames = ['KYMA_FIPS_MODE_ENABLED', 'FIPS_MODE_ENABLED'];

/** They only signal: nothing about cryptography is changed here. */
export function fipsVariables(who: string): readonly Variable[] {
  const why = `FIPS mode is signalled (${who})`;
  return fipsNames.map((name) => ({ name, value: 'true', why, isOffered: false }));
}

export function landscapeVariable(landscape: string, who: string): Variable {
  const why = `the landscape is told (${who})`;
  return { name: 'KYMA_LANDSCAPE', value: landscape, why, isOffered: false };
}

export type Wanted = ReadonlyMap<string, Variable>;

export function wantedOf(variables: readonly Variable[]): Wanted {
  return new Map(variables.map((each) => [each.name, each]));
}

/** Of a name that stands twice the last one counts, so that each of them is looked at. */
export function variableChanges({ env, path }: Started, wanted: Wanted): readonly Change[] {
  const found = findIn(env, wanted);
  const replaced = found.flatMap(({ index, meant, isRight }): readonly Change[] => {
    if (meant.isOffered || isRight) return [];
    const { name, value, why } = meant;
    return [{ op: 'replace', path: pointer(...path, 'env', index), value: { name, value }, why }];
  });
  const missing = [...wanted.values()].filter((each) => found.every(({ meant }) => meant !== each));
  const items = missing.map(({ name, value, why }) => ({ value: { name, value }, why }));
  return [...replaced, ...appended([...path, 'env'], env.length, items)];
}

/** What the container says otherwise, and is left to say. */
export function ownWords({ env }: Started, wanted: Wanted): readonly string[] {
  const own = findIn(env, wanted).filter(({ meant, isRight }) => meant.isOffered && !isRight);
  return [...new Set(own.map(({ meant }) => meant.name))];
}

type Found = { readonly index: number; readonly meant: Variable; readonly isRight: boolean };

function findIn(env: Started['env'], wanted: Wanted): readonly Found[] {
  if (wanted.size === 0) return [];
  const found: Found[] = [];
  env.forEach((each, index) => {
    const { name, value } = each;
    const meant = typeof name === 'string' ? wanted.get(name) : undefined;
    // What is taken from elsewhere has no value beside it.
    const isRight = value === meant?.value;
    if (meant !== undefined) found.push({ index, meant, isRight });
  });
  return found;
}
