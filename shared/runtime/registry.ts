import { basename } from 'node:path';
import type { Definition } from '#shared/define.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { otherVersions } from './one-version.ts';
import { flawsOf } from './stated.ts';

/** What a function file exports by default, still unchecked. */
export type Found = {
  readonly file: string;
  readonly exported: unknown;
  /** Whether it came with Gatehouse or is the user's own. */
  readonly origin: Origin;
};

export type Origin = 'built-in' | 'own';

/** Something that the author of a function can mend. */
export type FunctionProblem = {
  readonly file: string;
  readonly why: string;
  readonly mend: string;
};

export type Registry = {
  /** By name, so that whatever is made from them comes in the same order. */
  readonly definitions: readonly Definition[];
  /** What the settings switch on; a user's own functions always run, and without certificates nobody answers. */
  isEnabled(definition: Definition, settings: Settings): boolean;
  /** Counts how often the definitions were replaced, as they are while somebody works on them. */
  generation(): number;
  /** What the listener does is waited for. */
  onReplaced(listener: () => Promise<void>): void;
  /** Capabilities that the settings name and no function has: a typing error, most likely. */
  unknownCapabilities(settings: Settings): readonly string[];
};

export type Registered =
  | { readonly ok: true; readonly registry: Registry }
  | { readonly ok: false; readonly problems: readonly [FunctionProblem, ...FunctionProblem[]] };

export function openRegistry(found: readonly Found[]): Registered {
  const checked = found.map((one) => ({ ...one, flaws: flawsOf(one.exported, nameOf(one.file)) }));
  const good = checked.filter(({ flaws }) => flaws.length === 0);
  const [first, ...rest] = [
    ...checked.flatMap(({ file, flaws }) => flaws.map((flaw) => ({ file, ...flaw }))),
    ...clashes(good),
    ...otherVersions(good.map((one) => ({ file: one.file, definition: definitionOf(one) }))),
  ];
  if (first !== undefined) return { ok: false, problems: [first, ...rest] };

  return { ok: true, registry: registryOf(good) };
}

/** `functions/node-affinity/prefer-pool.ts` is called `prefer-pool`. */
function nameOf(file: string): string {
  return basename(file).replace(/\.[cm]?[jt]s$/, '');
}

function registryOf(found: readonly Found[]): Registry {
  const own = new Set(found.filter(({ origin }) => origin === 'own').map(definitionOf));
  const definitions = found.map(definitionOf).sort(byName);
  return {
    definitions,
    generation: () => 0,
    onReplaced: () => {},
    isEnabled: (definition, { capabilities }) =>
      own.has(definition) ||
      definition.capability === 'certificates' ||
      capabilities.includes(definition.capability),
    unknownCapabilities: ({ capabilities }) =>
      capabilities.filter((name) => !definitions.some(({ capability }) => capability === name)),
  };
}

/** Past the check: it has the shape. */
function definitionOf({ exported }: Found): Definition {
  return exported as Definition;
}

function byName(one: Definition, other: Definition): number {
  return one.name < other.name ? -1 : 1;
}

/** Names stand in paths, metrics, roles and queues: each of them once. */
function clashes(found: readonly Found[]): readonly FunctionProblem[] {
  return found.flatMap((one, index) => {
    const { name } = definitionOf(one);
    const before = found.slice(0, index).find((other) => definitionOf(other).name === name);
    if (before === undefined) return [];
    const why = `${before.file} is called ${name} as well`;
    return [{ file: one.file, why, mend: 'give one of them another name, and its file with it' }];
  });
}
