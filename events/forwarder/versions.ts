import { isLater } from '#shared/domain/watched.ts';

/** What a watch can go on from: from none, and from `0`, it begins where it likes, and tells no deletion before that. */
export function isVersion(text: string): boolean {
  return text !== '' && text !== '0';
}

/** How far both reach: what was said last, unless it is surely the earlier one or no version at all. */
export function furthest(at: string | undefined, said: string | undefined): string | undefined {
  if (said === undefined || !isVersion(said)) return at;
  return at !== undefined && isBehind(said, at) ? at : said;
}

/** Surely the earlier one of the two. Versions that are no numbers say nothing about their order. */
export function isBehind(version: string, than: string): boolean {
  return digits.test(version) && digits.test(than) && isLater(than, version);
}

/** Of two that can be compared; else the first. */
export function laterOf(one: string, other: string): string {
  return !isVersion(one) || isBehind(one, other) ? other : one;
}

const digits = /^[1-9]\d*$/;
