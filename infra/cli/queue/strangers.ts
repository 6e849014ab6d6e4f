import { closest, distance } from 'fastest-levenshtein';
import type { Definition } from '#shared/define.ts';
import type { World } from '../output.ts';
import { depthsIn } from './looking.ts';
import { plain } from './table.ts';
import type { UseQueue } from './use.ts';

/** Functions that nobody knows. */
export type Strangers = {
  /** Where nothing was found of one: a name that is spelled wrongly would look like an empty queue. */
  tell(name: string | undefined): Promise<void>;
};

/** Those that there are here or in a state folder, whether or not anything waits for them. */
export type Functions = readonly Pick<Definition, 'name' | 'shape'>[];

type Known = { readonly use: UseQueue; readonly functions: () => Promise<Functions> };

export function strangersTo({ terminal, fail }: World, { use, functions }: Known): Strangers {
  return {
    async tell(name) {
      if (name === undefined) return;
      const waiting = await use(depthsIn);
      const here = await functions();
      const known = [...new Set([...waiting.map((each) => each.function), ...wokenOf(here)])];
      if (known.includes(name)) return;
      fail();
      const what = answeredBy(name, here);
      terminal.complain(
        what === undefined
          ? `there is no function ${plain(name)} here, and nothing of it is on the queue${hint(name, known)}\n`
          : `${name} answers ${what}s, and those are never on the queue\n`,
      );
    },
  };
}

/** Whom messages wake. */
export function wokenOf(here: Functions): readonly string[] {
  return here.flatMap(({ name, shape }) => (shape === 'reconcile' ? [name] : []));
}

export type Answered = 'review' | 'request';

const answered = { admission: 'review', endpoint: 'request', reconcile: undefined } as const;

/** What it answers that is there, and that no message wakes. */
export function answeredBy(name: string, here: Functions): Answered | undefined {
  const shape = here.find((each) => each.name === name)?.shape;
  return shape && answered[shape];
}

/** Whom he means, perhaps, or where it may be: what another process serves is known to that one alone. */
export function hint(name: string, known: readonly string[]): string {
  const nearest = closest(name, known);
  return known.length > 0 && distance(name, nearest) <= 4
    ? `; did you mean ${plain(nearest)}?`
    : '; is it of a folder that --functions names?';
}
