import { isLater } from '#shared/domain/watched.ts';

/** Surely the earlier one of the two. Versions that are no numbers say nothing about their order. */
export function isBehind(version: string, than: string): boolean {
  return digits.test(version) && digits.test(than) && isLater(than, version);
}

/** Of two that can be compared; else the first. */
export function laterOf(one: string, other: string): string {
  return one === '' || isBehind(one, other) ? other : one;
}

const digits = /^\d+$/;
