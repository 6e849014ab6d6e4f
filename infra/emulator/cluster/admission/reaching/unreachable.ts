/** Why no answer came of a call, in all words. */
export class Unreachable extends Error {}

export function unposted(url: string, why: string): Unreachable {
  return new Unreachable(`Post "${url}": ${why}`);
}
