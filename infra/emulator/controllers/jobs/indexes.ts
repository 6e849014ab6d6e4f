import type { Pod } from '../shapes/pod.ts';

export const indexKey = 'batch.kubernetes.io/job-completion-index';

/** `0-2,5` */
export function parseIndexes(text: string | undefined): ReadonlySet<number> {
  const parts = (text ?? '').split(',').filter((part) => part !== '');
  return new Set(
    parts.flatMap((part) => {
      const [first = 0, last = first] = part.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, at) => first + at);
    }),
  );
}

export function indexesText(indexes: Iterable<number>): string {
  const ranges: [number, number][] = [];
  for (const index of [...indexes].toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] + 1 === index) last[1] = index;
    else ranges.push([index, index]);
  }
  return ranges.map(rangeText).join(',');
}

/** Two neighbours are two, three are a range. */
function rangeText([first, last]: readonly [number, number]): string {
  if (first === last) return String(first);
  return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
}

export function indexOf({ metadata }: Pod): number {
  return Number(metadata.annotations?.[indexKey] ?? -1);
}

/** The lowest ones that are neither done nor under way. */
export function freeIndexes(
  count: number,
  { completions, taken }: { readonly completions: number; readonly taken: ReadonlySet<number> },
): readonly number[] {
  const free: number[] = [];
  for (let index = 0; index < completions && free.length < count; index += 1) {
    if (!taken.has(index)) free.push(index);
  }
  return free;
}
