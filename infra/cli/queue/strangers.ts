import { closest, distance } from 'fastest-levenshtein';
import type { World } from '../output.ts';
import type { Asking } from '../queue.ts';
import { depthsIn } from './looking.ts';
import { plain } from './table.ts';
import type { UseQueue } from './use.ts';

/** Functions that nobody knows. */
export type Strangers = {
  /** Where nothing was found of one: a name that is spelled wrongly would look like an empty queue. */
  tell(name: string | undefined): Promise<void>;
};

type Known = {
  readonly use: UseQueue;
  readonly functions: () => ReturnType<Asking['functions']>;
};

export function strangersTo({ terminal, fail }: World, { use, functions }: Known): Strangers {
  return {
    async tell(name) {
      if (name === undefined) return;
      const waiting = await use(depthsIn);
      const known = [...new Set([...waiting.map((each) => each.function), ...(await functions())])];
      if (known.includes(name)) return;
      fail();
      terminal.complain(
        `there is no function ${plain(name)} here, and nothing of it is on the queue${hint(name, known)}\n`,
      );
    },
  };
}

/** Whom he means, perhaps, or where it may be: what another process serves is known to that one alone. */
export function hint(name: string, known: readonly string[]): string {
  const nearest = closest(name, known);
  return known.length > 0 && distance(name, nearest) <= 4
    ? `; did you mean ${plain(nearest)}?`
    : '; is it of a folder that --functions names?';
}
