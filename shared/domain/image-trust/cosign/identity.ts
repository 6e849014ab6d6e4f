/** Who a certificate says that the signer was, and who says so. */
export type Identity = { readonly subject: string; readonly issuer: string };

export type WantedIdentity = {
  readonly issuer: string;
  /** Exact. */
  readonly identity: string;
  /** In its place; holds for the whole of a subject, never for a part of it. */
  readonly identityPattern: string;
};

/** Longer ones name nobody: a pattern is not asked about them. */
const longestSubject = 2_000;

/** Unanchored, `https://github.com/acme/` would hold for `https://evil.example/?https://github.com/acme/`. */
export function isIdentity(wanted: WantedIdentity, { subject, issuer }: Identity): boolean {
  if (wanted.issuer === '' || issuer !== wanted.issuer) return false;
  if (subject === '' || subject.length > longestSubject) return false;
  if (wanted.identity !== '') return subject === wanted.identity;
  return isPattern(wanted.identityPattern) && whole(wanted.identityPattern).test(subject);
}

export function isPattern(source: string): boolean {
  try {
    // By itself too: `a)|(b` is a pattern only inside of our parentheses, and leaves them.
    return source !== '' && [new RegExp(source, 'u'), whole(source)].length === 2;
  } catch {
    // A pattern that cannot be read is told where the settings are read.
    return false;
  }
}

/** Grouped, so that an alternative inside of it is anchored at both ends too; `.` takes no line break. */
function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`, 'u');
}
