import { areTwins, type OwnPart } from './own-parts.ts';

/** Remembered by the bytes of a whole request: no hash stands for them, so that nobody can make two of them meet. */
export type Twin<T> = {
  readonly bytes: Buffer;
  readonly parts: readonly OwnPart[];
  readonly value: T;
  /** Bytes, of all that is held for it. */
  readonly size: number;
};

export type Twins<T> = {
  find(bytes: Buffer, isMeant: (value: T) => boolean): Twin<T> | undefined;
  keep(twin: Twin<T>): void;
  forget(twin: Twin<T>): void;
};

/** A rollout sends one template's pods in a row; of as many in turn as this, of one length, none is forgotten. */
const sameLength = 16;

/** Those that were not asked for the longest are forgotten first. */
export function openTwins<T>({ most }: { readonly most: number }): Twins<T> {
  const byLength = new Map<number, Twin<T>[]>();
  const oldestFirst = new Set<Twin<T>>();
  let held = 0;

  const forget = (twin: Twin<T>) => {
    if (!oldestFirst.delete(twin)) return;
    held -= twin.size;
    const alike = byLength.get(twin.bytes.length)?.filter((each) => each !== twin) ?? [];
    if (alike.length === 0) byLength.delete(twin.bytes.length);
    else byLength.set(twin.bytes.length, alike);
  };
  const renew = (twin: Twin<T>) => {
    oldestFirst.delete(twin);
    oldestFirst.add(twin);
  };

  return {
    find(bytes, isMeant) {
      const alike = byLength.get(bytes.length) ?? [];
      const at = alike.findIndex(
        (twin) => isMeant(twin.value) && areTwins(bytes, twin.bytes, twin.parts),
      );
      const [found] = at === -1 ? [] : alike.splice(at, 1);
      if (found === undefined) return undefined;
      // The next one that comes is most likely its twin too.
      alike.unshift(found);
      renew(found);
      return found;
    },
    keep(twin) {
      const alike = byLength.get(twin.bytes.length) ?? [];
      byLength.set(twin.bytes.length, [twin, ...alike]);
      oldestFirst.add(twin);
      held += twin.size;
      const last = alike[sameLength - 1];
      if (last !== undefined) forget(last);
      for (const oldest of oldestFirst) {
        if (held <= most) return;
        forget(oldest);
      }
    },
    forget,
  };
}
