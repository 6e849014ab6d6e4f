import type { Judgement, Unavailable, Untrusted } from './judgement.ts';
import type { Remark } from './remark.ts';
import type { Distrust, Outage } from './tuf/finding.ts';
import { isDelegation } from './tuf/names.ts';
import { type Limits, mostBytes, namespaceLimits } from './tuf/trust.ts';
import type { TufVerdict } from './tuf/verify-target.ts';

/** Of what a Notary said. */
export type NotaryWord = {
  readonly server: string;
  /** `registry.example/team/app:1.0`, or with a digest. */
  readonly name: string;
  /** Of the image that was asked about. */
  readonly digest: string;
  readonly isFirstUse: boolean;
  /** What has to be signed anew before then is told. */
  readonly toldBefore: Date;
  /** Of a namespace's own Notary there are narrower ones. */
  readonly limits: Limits;
};

export function judgementOf(verdict: TufVerdict, word: NotaryWord): Judgement {
  switch (verdict.kind) {
    case 'trusted':
      return {
        kind: 'trusted',
        digest: word.digest,
        children: [],
        by: {
          verifier: 'notary',
          server: word.server,
          name: signedAs(word.name, verdict.name),
          keys: verdict.by.keyIds,
        },
        until: verdict.until,
        remarks: remarksOn(verdict, word),
      };
    case 'untrusted':
      return { kind: 'untrusted', why: untrusted[verdict.why], note: noteOf(verdict, word) };
    case 'unavailable':
      if (verdict.why === 'unauthorized' || verdict.why === 'refused') {
        return refused(refusals[verdict.why](word.server));
      }
      return {
        kind: 'unavailable',
        why: unavailable[verdict.why],
        note: outageNotes[verdict.why](word.server),
      };
  }
}

/** It has answered, so that it is not away: a server that hides what it does not know must vouch for nothing. */
function refused(note: string): Judgement {
  return { kind: 'untrusted', why: 'notary-refused', note };
}

const refusals = {
  unauthorized: (server: string) => `${server} lets nobody read it without other credentials`,
  refused: (server: string) => `${server} answers no question about it`,
};

/** Where a digest alone was asked for, the tag that vouches for it. */
function signedAs(name: string, target: string): string {
  const at = name.indexOf('@');
  return at === -1 ? name : `${name.slice(0, at)}:${target}`;
}

function remarksOn(
  signed: Extract<TufVerdict, { kind: 'trusted' }>,
  { digest, isFirstUse, toldBefore }: NotaryWord,
): readonly Remark[] {
  return [
    ...(signed.digest === digest ? [] : ['config-digest' as const]),
    ...(isFirstUse ? ['first-use' as const] : []),
    ...(signed.renewBy < toldBefore ? ['expiring' as const] : []),
  ];
}

const untrusted: Readonly<Record<Distrust, Untrusted>> = {
  'bad-name': 'bad-reference',
  'no-trust-data': 'not-signed',
  'no-such-target': 'not-signed',
  'other-digest': 'other-digest',
  malformed: 'bad-proof',
  'too-large': 'bad-proof',
  'missing-file': 'bad-proof',
  'bad-length': 'bad-proof',
  'bad-hash': 'bad-proof',
  'bad-signature': 'bad-proof',
  expired: 'bad-proof',
  rollback: 'bad-proof',
  'bad-certificate': 'bad-proof',
  'root-not-pinned': 'bad-proof',
  'root-unknown': 'bad-proof',
  'root-mismatch': 'bad-proof',
  'root-rotation': 'bad-proof',
};

type Untrusting = Extract<TufVerdict, { kind: 'untrusted' }>;

function noteOf({ why, role, last }: Untrusting, word: NotaryWord): string {
  const { name, server } = word;
  if (why === 'too-large') return largerThanRead(role, word);
  if (isDelegation(role) && last !== undefined) return goneBack(role, last, word);
  const spoken: Partial<Record<Distrust, string>> = {
    'bad-name': `${name} is no name that could be signed`,
    'no-trust-data': `nothing is signed under the name of ${name} at ${server}`,
    'no-such-target': `${name} is not signed at ${server}`,
    'other-digest': `another image is signed as ${name} at ${server}`,
    expired: `what ${server} says of ${name} has expired`,
    rollback: `${server} says of ${name} what is older than what was seen before`,
    'root-unknown': `nobody has said that the root of ${name} at ${server} is to be trusted`,
    'root-not-pinned': `the root of ${name} at ${server} is not the one that is pinned`,
  };
  return spoken[why] ?? `what ${server} says of ${name} does not verify (${why})`;
}

/** For whoever delegates: one that was made again, by the same key, cannot be told from one that is hidden. */
function goneBack(role: string, last: number, { name, server }: NotaryWord): string {
  return (
    `${server} says of ${name} what is older than what was seen before, of ${role} at version ${last}: ` +
    `if that was delegated anew, give the delegate another key, or publish above version ${last}`
  );
}

/** For whoever signs. */
function largerThanRead(role: string, { name, server, limits }: NotaryWord): string {
  const most = `${mostBytes(role, limits) / 1024} KiB`;
  const whose = limits === namespaceLimits ? "of a namespace's own Notary" : 'of a Notary';
  return (
    `the file ${role} that ${server} has for ${name} is larger than ${most}, the most that is read ${whose}: ` +
    'sign fewer tags in one repository'
  );
}

type Away = Exclude<Outage, keyof typeof refusals>;

const unavailable: Readonly<Record<Away, Unavailable>> = {
  unreachable: 'notary',
  timeout: 'too-slow',
  'not-allowed': 'not-allowed',
  'server-error': 'notary',
  'login-unread': 'notary',
  'root-not-kept': 'root-not-kept',
};

const outageNotes: Readonly<Record<Away, (server: string) => string>> = {
  unreachable: (server) => `${server} cannot be reached`,
  timeout: (server) => `${server} does not answer in time`,
  'not-allowed': (server) => `${server} is not at an address that may be asked`,
  'server-error': (server) => `${server} answers with an error`,
  'login-unread': (server) => `the login at ${server} could not be read`,
  'root-not-kept': (server) => `a first use of ${server} waits until its root can be kept`,
};
