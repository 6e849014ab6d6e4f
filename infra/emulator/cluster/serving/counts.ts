import type { Asked, Verb } from '../faults.ts';

/** How often what was asked: `list` of `pods`. */
export type Counts = {
  count(asked: Asked): void;
  of(verb: Verb, resource?: string): number;
  reset(): void;
};

export function openCounts(): Counts {
  const counts = new Map<string, number>();
  const raise = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  return {
    count({ verb, resource = '' }) {
      raise(verb);
      raise(`${verb} ${resource}`);
    },
    of: (verb, resource) => counts.get(resource === undefined ? verb : `${verb} ${resource}`) ?? 0,
    reset: () => counts.clear(),
  };
}
