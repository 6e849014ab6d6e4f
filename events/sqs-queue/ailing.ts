import type { Timing } from './timing.ts';

/** Functions whose queue could not be asked, each left alone for a while: the others' messages go on. */
export type Ailing = {
  isResting(functionName: string): boolean;
  failed(functionName: string, cause: unknown): void;
  answered(functionName: string): void;
  /** Throws where none of them answers, and then they may be asked at once; tells of each other one until it answers. */
  assess(functions: readonly string[]): void;
};

export const restMs = 5_000;

type Ailment = { readonly cause: unknown; readonly untilMs: number; readonly isTold: boolean };

export function ailingOn({ now }: Timing, onTrouble: (cause: unknown) => void): Ailing {
  const all = new Map<string, Ailment>();
  const isResting = (name: string): boolean => (all.get(name)?.untilMs ?? 0) > now();
  const tell = (): void => {
    for (const [name, ailment] of all) {
      if (!ailment.isTold) onTrouble(ailment.cause);
      all.set(name, { ...ailment, isTold: true });
    }
  };
  return {
    isResting,
    failed(name, cause) {
      const isTold = all.get(name)?.isTold ?? false;
      all.set(name, { cause, untilMs: now() + restMs, isTold });
    },
    answered: (name) => void all.delete(name),
    assess(functions) {
      const causes = functions.filter(isResting).map((name) => all.get(name)?.cause);
      if (causes.length > 0 && causes.length === functions.length) {
        for (const name of functions) all.delete(name);
        throw causes[0];
      }
      tell();
    },
  };
}
