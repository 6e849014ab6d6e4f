import type { Dead, Queue } from '#events/queue.ts';

export type Chosen = {
  readonly ids: readonly string[];
  readonly all: boolean;
  /** With `all`: only its own. */
  readonly functionName: string | undefined;
};

/** `redrive ID…`, `redrive --all`, `redrive --all FUNCTION`; `undefined`: neither of them was said. */
export function chosenFrom(words: readonly string[], all: boolean): Chosen | undefined {
  const [functionName, ...more] = words;
  if (all) return more.length === 0 ? { ids: [], all, functionName } : undefined;
  const ids = [...new Set(words)];
  return ids.length === 0 ? undefined : { ids, all, functionName: undefined };
}

const pageSize = 500;

/** Those that are buried now: what is buried again meanwhile is not asked for. */
export async function idsOf(queue: Queue, { ids, all, functionName }: Chosen) {
  if (!all) return ids;
  return (await deadOf(queue, functionName, Number.POSITIVE_INFINITY)).map(({ id }) => id);
}

export async function deadOf(
  queue: Pick<Queue, 'listDead'>,
  functionName: string | undefined,
  most: number,
): Promise<readonly Dead[]> {
  const found: Dead[] = [];
  for (;;) {
    const max = Math.min(pageSize, most - found.length);
    const after = found.at(-1)?.id;
    const page = await queue.listDead({
      ...(functionName === undefined ? {} : { function: functionName }),
      ...(after === undefined ? {} : { after }),
      max,
    });
    found.push(...page);
    if (page.length < max || found.length >= most) return found;
  }
}

/** In pieces, so that no call takes long. */
export async function inPieces(
  ids: readonly string[],
  act: (piece: readonly string[]) => Promise<number>,
): Promise<number> {
  let count = 0;
  for (let at = 0; at < ids.length; at += pageSize) {
    count += await act(ids.slice(at, at + pageSize));
  }
  return count;
}
