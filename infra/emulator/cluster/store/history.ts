import type { Stored } from './stored.ts';

export type Change = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly version: number;
  /** Of a deletion the last state, under the deletion's version. */
  readonly now: Stored;
  readonly before: Stored | undefined;
};

/** What a watch can still be told. Places in it stay true while older changes are forgotten. */
export function history({ floor: start, size }: { readonly floor: number; readonly size: number }) {
  let floor = start;
  let first = 0;
  let changes: Change[] = [];

  const drop = (count: number) => {
    const last = changes[count - 1];
    if (last === undefined) return;
    floor = Math.max(floor, last.version);
    changes = changes.slice(count);
    first += count;
  };
  return {
    /** A version before it is too old. */
    floor: () => floor,
    add(change: Change): void {
      changes.push(change);
      // In halves: to shift each time would move the whole window.
      if (changes.length > size * 2) drop(changes.length - size);
    },
    /** The place of the first change after that version. */
    placeAfter: (version: number) => first + indexAfter(changes, version),
    /** `undefined` beyond the end; `forgotten` before the beginning. */
    from(place: number): Change | 'forgotten' | undefined {
      return place < first ? 'forgotten' : changes[place - first];
    },
    /** The place of whatever comes next. */
    end: () => first + changes.length,
    since: (version: number) => changes.slice(indexAfter(changes, version)),
    forget(version: number): void {
      drop(indexAfter(changes, version));
      floor = Math.max(floor, version);
    },
    reset(version: number): void {
      first += changes.length;
      changes = [];
      floor = version;
    },
  };
}

function indexAfter(changes: readonly Change[], version: number): number {
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((changes[middle]?.version ?? 0) > version) high = middle;
    else low = middle + 1;
  }
  return low;
}
