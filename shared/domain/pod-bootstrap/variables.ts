import type { JsonObject } from '../json.ts';
import { below } from '../json-pointer.ts';
import type { Change } from '../verdict.ts';
import { appended, type Item } from './edits.ts';
import type { Started } from './pod.ts';

export type Variable = {
  readonly name: string;
  readonly value: string;
  /** Both, as it stands in a container: one for all of them. */
  readonly item: JsonObject;
  readonly why: string;
  /** Whether the container's own word on it stands. */
  readonly isOffered: boolean;
};

export const fipsNames = ['KYMA_FIPS_MODE_ENABLED', 'FIPS_MODE_ENABLED'];
export const landscapeName = 'KYMA_LANDSCAPE';

/** They only signal: nothing about cryptography is changed here. */
export function fipsVariables(who: string): readonly Variable[] {
  const why = `FIPS mode is signalled (${who})`;
  return fipsNames.map((name) => variable(name, 'true', { why, isOffered: false }));
}

export function landscapeVariable(landscape: string, who: string): Variable {
  const why = `the landscape is told (${who})`;
  return variable(landscapeName, landscape, { why, isOffered: false });
}

export function variable(
  name: string,
  value: string,
  { why, isOffered }: Pick<Variable, 'why' | 'isOffered'>,
): Variable {
  return { name, value, item: { name, value }, why, isOffered };
}

export type Wanted = {
  readonly byName: ReadonlyMap<string, Variable>;
  /** All of them, as most containers get them. */
  readonly items: readonly Item[];
};

export function wantedOf(variables: readonly Variable[]): Wanted {
  const byName = new Map(variables.map((each) => [each.name, each]));
  return { byName, items: [...byName.values()].map(itemOf) };
}

function itemOf({ item: value, why }: Variable): Item {
  return { value, why };
}

/** Of a name that stands twice the last one counts, so that each of them is looked at. */
export function variableChanges({ env, place }: Started, wanted: Wanted): readonly Change[] {
  const list = below(place, 'env');
  const found = findIn(env, wanted);
  if (found.length === 0) return appended(list, env.length, wanted.items);

  const replaced = found.flatMap(({ index, meant, isRight }): readonly Change[] => {
    if (meant.isOffered || isRight) return [];
    const { item: value, why } = meant;
    return [{ op: 'replace', path: below(list, index), value, why }];
  });
  const missing = [...wanted.byName.values()].filter((each) =>
    found.every(({ meant }) => meant !== each),
  );
  return [...replaced, ...appended(list, env.length, missing.map(itemOf))];
}

/** What the container says otherwise, and is left to say. */
export function ownWords({ env }: Started, wanted: Wanted): readonly string[] {
  const own = findIn(env, wanted).filter(({ meant, isRight }) => meant.isOffered && !isRight);
  return [...new Set(own.map(({ meant }) => meant.name))];
}

type Found = { readonly index: number; readonly meant: Variable; readonly isRight: boolean };

const nothing: readonly Found[] = [];

function findIn(env: Started['env'], { byName }: Wanted): readonly Found[] {
  let found: Found[] | undefined;
  for (let index = 0; index < env.length; index += 1) {
    const { name, value } = env[index] ?? {};
    const meant = typeof name === 'string' ? byName.get(name) : undefined;
    // What is taken from elsewhere has no value beside it.
    if (meant === undefined) continue;
    found ??= [];
    found.push({ index, meant, isRight: value === meant.value });
  }
  return found ?? nothing;
}
