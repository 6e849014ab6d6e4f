import type { Buried } from '../queue.ts';
import type { DeadLetters, Letter } from './dead-letters.ts';
import { longestInline } from './envelope.ts';

export type TakingParts = {
  readonly dead: DeadLetters;
  readonly functions: readonly string[];
  readonly lot?: Lot | undefined;
};

/** So much is in memory at once; within it all come back in the order in which they were buried. */
export type Lot = { readonly letters: number; readonly characters: number };

const usual: Lot = { letters: 10_000, characters: 64 * 1_048_576 };

/** What is asked for, lot by lot; from all others it is hidden until whoever takes a lot is done with it, or fails. */
export async function* lotsOf(
  parts: TakingParts,
  buried: Buried,
): AsyncGenerator<readonly Letter[]> {
  if (!('function' in buried)) {
    yield* inHand(parts, (found) => named(parts, new Set(buried), found));
    return;
  }
  const { function: only } = buried;
  for (const name of only === undefined ? parts.functions : [only]) yield* allOf(parts, name);
}

/** Where it cannot be gathered, or whoever has it fails, it is there for the next one who looks, and not for a minute after. */
async function* inHand(
  { dead }: TakingParts,
  gather: (found: Letter[]) => Promise<void>,
): AsyncGenerator<readonly Letter[]> {
  const found: Letter[] = [];
  let isDone = false;
  try {
    await gather(found);
    yield found;
    isDone = true;
  } finally {
    // What failed first is what is told.
    if (!isDone) await Promise.allSettled([dead.leave(found)]);
  }
}

async function named(
  { dead, functions }: TakingParts,
  wanted: ReadonlySet<string>,
  found: Letter[],
): Promise<void> {
  const ids = new Set<string>();
  for (const name of functions) {
    if (ids.size === wanted.size) break;
    await dead.each(name, (letter) => {
      const { id } = letter.enveloped;
      if (!wanted.has(id)) return 'leave';
      found.push(letter);
      ids.add(id);
      return 'take';
    });
  }
}

/** Each is received once. Whatever is buried meanwhile by whoever runs the first ones again is not waited for. */
async function* allOf(parts: TakingParts, name: string): AsyncGenerator<readonly Letter[]> {
  const { dead, lot = usual } = parts;
  const most = await dead.count(name);
  let taken = 0;
  for (let isMore = true; isMore; isMore &&= taken < most) {
    let characters = 0;
    isMore = false;
    yield* inHand(parts, async (found) => {
      await dead.each(name, (letter) => {
        isMore = found.length >= lot.letters || characters >= lot.characters;
        if (isMore) return 'stop';
        found.push(letter);
        characters += lengthOf(letter);
        return 'take';
      });
      taken += found.length;
    });
  }
}

function lengthOf({ enveloped: { body } }: Letter): number {
  return body.kind === 'inline' ? body.text.length : longestInline;
}
