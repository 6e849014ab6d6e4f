/** Why an image is not trusted: somebody spoke, and what was said does not prove it. */
export type Distrust =
  | 'bad-name'
  | 'no-trust-data'
  | 'no-such-target'
  | 'other-digest'
  | 'malformed'
  | 'too-large'
  | 'missing-file'
  | 'bad-length'
  | 'bad-hash'
  | 'bad-signature'
  | 'expired'
  | 'rollback'
  | 'bad-certificate'
  | 'root-not-pinned'
  | 'root-unknown'
  | 'root-mismatch'
  | 'root-rotation';

/** Why nothing can be said: nobody spoke, or we may not ask. */
export type Outage =
  | 'unreachable'
  | 'timeout'
  | 'unauthorized'
  /** It has answered, with nothing of the file: not with a failure of its own either. */
  | 'refused'
  /** An address that is not to be connected to, or plain http. */
  | 'not-allowed'
  | 'server-error'
  /** The login that it is to be shown could not be read. */
  | 'login-unread'
  /** A first use has to wait until its root can be kept. */
  | 'root-not-kept';

export type Flaw =
  | {
      readonly kind: 'untrusted';
      readonly why: Distrust;
      readonly role: string;
      /** The version that was seen before, of a role that has gone back behind it. */
      readonly last?: number;
    }
  | { readonly kind: 'unavailable'; readonly why: Outage; readonly role: string };

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly flaw: Flaw };

export type Failed = Extract<Checked<never>, { readonly ok: false }>;

export function held<T>(value: T): Checked<T> {
  return { ok: true, value };
}

export function distrusted(role: string, why: Distrust): Failed {
  return { ok: false, flaw: { kind: 'untrusted', why, role } };
}

export function rolledBack(role: string, last: number): Failed {
  return { ok: false, flaw: { kind: 'untrusted', why: 'rollback', role, last } };
}

export function unavailable(role: string, why: Outage): Failed {
  return { ok: false, flaw: { kind: 'unavailable', why, role } };
}
