import { isLater } from '#shared/domain/watched.ts';

/** Surely the earlier one of the two. Versions that are no numbers say nothing about their order. */
export function isBehind(version: string, than: string): boolean {
  return digits.test(version) && digits.test(than) && isLater(than, version);
}

const digits = /^\d+$/;
