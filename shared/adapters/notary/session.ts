import type { Ask, Reply } from '#shared/domain/image-trust/tuf/asking.ts';
import type { Outage } from '#shared/domain/image-trust/tuf/finding.ts';
import type { Outside, OutsideAnswer, Reach } from '#shared/domain/outside.ts';
import { addressOf } from './address.ts';
import { outageOf } from './outage.ts';
import { authorize } from './token.ts';

export type Credentials = {
  readonly username: string;
  readonly password: string;
  /** Hosts of token servers that may see them, beside the Notary's own. */
  readonly shownTo: readonly string[];
};

export type NotaryServer = {
  readonly url: URL;
  /** An operator's server may be an internal one; one that a namespace names is not. */
  readonly reach: Reach;
  readonly credentials: Credentials | undefined;
};

export type Session = (ask: Ask) => Promise<Reply>;

export type Visit = {
  readonly outside: Outside;
  readonly server: NotaryServer;
  readonly gun: string;
  readonly signal: AbortSignal;
};

/** All files of one verification: what the first request had to show, the others show at once. */
export function openSession(visit: Visit): Session {
  let shown: string | undefined;
  return async (ask) => {
    const first = await request(ask, visit, shown);
    if (first.kind !== 'answer' || first.status !== 401) return toReply(first);

    const authorized = await authorize(first.headers['www-authenticate'] ?? '', visit);
    if (authorized.kind === 'failed') return authorized;
    shown = authorized.authorization;
    return toReply(await request(ask, visit, shown));
  };
}

/** A page that explains an error is often longer than the file, and no lie about it. The decision measures files. */
const errorBytes = 1 << 16;

function request(ask: Ask, { outside, server, gun, signal }: Visit, authorization?: string) {
  const url = addressOf(server.url, gun, ask).href;
  const maxBytes = Math.max(ask.maxBytes, errorBytes);
  return outside.read({ url, reach: server.reach, maxBytes, signal, authorization });
}

/** Only what a server says of its files is a statement about them; whatever else it says is an outage. */
function toReply(answer: OutsideAnswer): Reply {
  if (answer.kind === 'refused' && answer.why === 'too-large') return { kind: 'too-large' };
  if (answer.kind !== 'answer') return { kind: 'failed', why: outageOf(answer) };
  const { status, body } = answer;
  if (status === 200) return { kind: 'file', bytes: body };
  if (status === 404 || status === 410) return { kind: 'absent' };
  return { kind: 'failed', why: failureOf(status) };
}

/** Only what may pass by itself is a failure: whoever can be made to answer 400 must not look as if he were away. */
function failureOf(status: number): Outage {
  if (status === 401 || status === 403) return 'unauthorized';
  return status >= 500 || status === 408 || status === 429 ? 'server-error' : 'refused';
}
