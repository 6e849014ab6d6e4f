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
  const found: string[] = [];
  // Of all that there is, no more than a page of bodies is held at once.
  for await (const page of pagesOf(queue, functionName, Number.POSITIVE_INFINITY)) {
    found.push(...page.map(({ id }) => id));
  }
  return found;
}

export async function deadOf(
  queue: Pick<Queue, 'listDead'>,
  functionName: string | undefined,
  most: number,
): Promise<readonly Dead[]> {
  const found: Dead[] = [];
  for await (const page of pagesOf(queue, functionName, most)) found.push(...page);
  return found;
}

async function* pagesOf(
  queue: Pick<Queue, 'listDead'>,
  functionName: string | undefined,
  most: number,
): AsyncGenerator<readonly Dead[]> {
  let after: string | undefined;
  for (let left = most; left > 0; ) {
    const max = Math.min(pageSize, left);
    const page = await queue.listDead({
      ...(functionName === undefined ? {} : { function: functionName }),
      ...(after === undefined ? {} : { after }),
      max,
    });
    yield page;
    if (page.length < max) return;
    left -= page.length;
    after = page.at(-1)?.id;
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
