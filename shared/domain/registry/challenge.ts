/** What a server asks for with a 401 (RFC 9110, 11.6.1). */
export type Challenge = {
  /** In lowercase: `bearer`, `basic`. */
  readonly scheme: string;
  /** By lowercase name. */
  readonly parameters: ReadonlyMap<string, string>;
};

const longest = 8 * 1024;
const scheme = /[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?=[ \t,]|$)[ \t]*/y;
const parameter =
  /[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+.^_`|~0-9A-Za-z:/?@-]+))[ \t]*(?=,|$)/sy;
const token68 = /[A-Za-z0-9._~+/-]+=*[ \t]*(?=,|$)/y;
const comma = /[ \t]*,[ \t,]*/y;
const blank = /[ \t,]*$/y;

/**
 * All of a header's challenges, or none of them where any part is broken: half an understanding of who asks for a
 * password is worse than none. Several headers are joined by commas, as HTTP says.
 */
export function parseChallenges(header: string): readonly Challenge[] {
  if (header.length > longest) return [];
  const found: Challenge[] = [];
  const text = header.replace(/^[ \t,]+/, '');
  let at = 0;
  // Not cut off at the end by a search for it, which blanks in the middle would make slow.
  while (matchAt(blank, text, at) === undefined) {
    const read = challengeAt(text, at);
    if (read === undefined) return [];
    found.push(read.challenge);
    at = read.end;
  }
  return found;
}

type Read = { readonly challenge: Challenge; readonly end: number };

function challengeAt(text: string, from: number): Read | undefined {
  const named = matchAt(scheme, text, from);
  if (named === undefined) return undefined;
  const name = (named.groups[0] ?? '').toLowerCase();
  const bare = matchAt(token68, text, named.end);
  if (bare !== undefined && matchAt(parameter, text, named.end) === undefined) {
    return { challenge: { scheme: name, parameters: new Map() }, end: afterComma(text, bare.end) };
  }
  return parametersAt(text, named.end, name);
}

function parametersAt(text: string, from: number, name: string): Read | undefined {
  const parameters = new Map<string, string>();
  let at = from;
  for (;;) {
    const read = matchAt(parameter, text, at);
    if (read === undefined) break;
    const [key = '', quoted, plain = ''] = read.groups;
    // Two realms: which of them another reader would take cannot be told.
    if (parameters.has(key.toLowerCase())) return undefined;
    parameters.set(key.toLowerCase(), quoted?.replace(/\\(.)/gs, '$1') ?? plain);
    at = afterComma(text, read.end);
  }
  // After what was read stands the next challenge, or nothing; a scheme alone needs a comma before the next.
  const end = at === from ? afterComma(text, from) : at;
  const isStuck = end === from && end < text.length;
  return isStuck ? undefined : { challenge: { scheme: name, parameters }, end };
}

function afterComma(text: string, at: number): number {
  return matchAt(comma, text, at)?.end ?? at;
}

function matchAt(pattern: RegExp, text: string, at: number) {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const groups: readonly (string | undefined)[] = match.slice(1);
  return { groups, end: at + match[0].length };
}
