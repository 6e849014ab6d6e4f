import type { Happening } from '#shared/runtime/happening.ts';

export type Repeated = {
  /** Whether it is a run that time alone woke, and that ended as the last one did. */
  has(happening: Happening): boolean;
  forget(): void;
};

/** Some functions run every few seconds, which would bury what happened. */
export function openRepeated(): Repeated {
  const ends = new Map<string, string>();
  return {
    has(happening) {
      if (happening.kind !== 'run' || happening.object !== undefined) return false;
      const { function: name, outcome, why = '' } = happening;
      const end = `${outcome} ${why}`;
      const isSame = ends.get(name) === end;
      ends.set(name, end);
      return isSame;
    },
    forget: () => ends.clear(),
  };
}
