/** `v2` before `v1` before `v2beta1` before `v1alpha1`; what has no such form comes last, by its letters. */
export function byPriority(one: string, other: string): number {
  const [a, b] = [rank(one), rank(other)];
  if (a === undefined || b === undefined) {
    if (a === b) return one < other ? -1 : 1;
    return a === undefined ? 1 : -1;
  }
  return b.stage - a.stage || b.major - a.major || b.minor - a.minor;
}

function rank(version: string) {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return undefined;
  const [, major = '0', stage = '', minor = '0'] = match;
  return {
    stage: ['alpha', 'beta', ''].indexOf(stage),
    major: Number(major),
    minor: Number(minor),
  };
}
