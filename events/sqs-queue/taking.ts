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

/** What is asked for, lot by lot; from all others it is hidden. */
export async function* lotsOf(
  parts: TakingParts,
  buried: Buried,
): AsyncGenerator<readonly Letter[]> {
  if (!('function' in buried)) {
    yield await named(parts, new Set(buried));
    return;
  }
  const { function: only } = buried;
  for (const name of only === undefined ? parts.functions : [only]) yield* allOf(parts, name);
}

async function named(
  { dead, functions }: TakingParts,
  wanted: ReadonlySet<string>,
): Promise<readonly Letter[]> {
  const found: Letter[] = [];
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
  return found;
}

/** Each is received once. Whatever is buried meanwhile by whoever runs the first ones again is not waited for. */
async function* allOf(
  { dead, lot = usual }: TakingParts,
  name: string,
): AsyncGenerator<readonly Letter[]> {
  const most = await dead.count(name);
  let taken = 0;
  for (let isMore = true; isMore; isMore &&= taken < most) {
    const found: Letter[] = [];
    let characters = 0;
    isMore = false;
    await dead.each(name, (letter) => {
      isMore = found.length >= lot.letters || characters >= lot.characters;
      if (isMore) return 'stop';
      found.push(letter);
      characters += lengthOf(letter);
      return 'take';
    });
    yield found;
    taken += found.length;
  }
}

function lengthOf({ enveloped: { body } }: Letter): number {
  return body.kind === 'inline' ? body.text.length : longestInline;
}
