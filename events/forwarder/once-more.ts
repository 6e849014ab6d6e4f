import type { Backfill } from '#shared/domain/mirrored.ts';
import { type Followed, triggersOf } from './followed.ts';
import type { Memory } from './memory.ts';
import type { Writer } from './writer.ts';

/** Beside the functions' own records, as that of the indexes. */
export function onceMoreRecord(functionName: string): string {
  return `#again ${functionName}`;
}

/**
 * Somebody may still work by another trigger or another value of a setting: in a roll-out, or where a file of settings
 * comes to each replica in its own time. What he runs of the pages that the new one makes is done as he knows it.
 */
export function owedOnceMore(
  known: readonly Backfill[],
  { followed, memory, world }: Writer,
): readonly Backfill[] {
  if (world.pace.settleMs === 0) return [];
  const isOld = (name: string, fingerprint: string): boolean => {
    const found = known.find((each) => each.function === name);
    return found === undefined ? isKnown(name, memory) : found.fingerprint !== fingerprint;
  };
  return [...triggersOf(followed)]
    .filter(([name, fingerprint]) => isOld(name, fingerprint))
    .map(([name, fingerprint]) => owed(name, fingerprint));
}

function owed(name: string, fingerprint: string): Backfill {
  return { function: onceMoreRecord(name), fingerprint, after: '', isDone: false };
}

/** Of another scope: a place that the settings name has moved, or a trigger has one more. Whoever is new to all is not. */
function isKnown(name: string, { knownBefore }: Memory): boolean {
  return knownBefore?.has(name) ?? false;
}

export type Owed = { readonly function: string; readonly record: Backfill };

export function stillOwed(known: readonly Backfill[], followed: Followed): readonly Owed[] {
  return [...triggersOf(followed)].flatMap(([name, fingerprint]) => {
    const record = known.find((each) => each.function === onceMoreRecord(name));
    const isOwed = record?.fingerprint === fingerprint && !record.isDone;
    return isOwed ? [{ function: name, record }] : [];
  });
}
