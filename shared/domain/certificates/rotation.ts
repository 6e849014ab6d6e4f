import type { Policy } from './policy.ts';
import { leftOf, type Observed, progressOf, type Settling } from './settling.ts';

/**
 * introducing  leaf and CA are new to everybody: each replica sees for itself that the bundles carry the CA
 * steady       nothing to do until something is due
 * announcing   a next CA is in the Secret, and on its way into every bundle
 * switching    the leaf is signed by a CA that all API servers know; replicas take it up
 * retiring     all of them serve it; the CA before is kept for the settle time
 */
export const phases = ['introducing', 'steady', 'announcing', 'switching', 'retiring'] as const;
export type Phase = (typeof phases)[number];

export type Authority = {
  readonly notAfter: Date;
  /** Its key is there and is its own. */
  readonly canSign: boolean;
};

export type Leaf = {
  readonly serial: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly dnsNames: readonly string[];
};

export type Ours = {
  readonly kind: 'ours';
  readonly ca: Authority | undefined;
  readonly next: Authority | undefined;
  /** Only one with its key, and issued by `ca`: anything else cannot be served. */
  readonly leaf: Leaf | undefined;
  readonly phase: Phase;
  /** When the phase began; unknown where the Secret was written by somebody else. */
  readonly since: Date | undefined;
  readonly settling: Settling | undefined;
};

export type Stored = { readonly kind: 'nothing' } | { readonly kind: 'foreign' } | Ours;

export type Facts = {
  /** Of the next CA. */
  readonly bundles: Observed;
  /** Those whose Lease is alive, with the serial of the leaf that they serve. */
  readonly replicas: readonly { readonly name: string; readonly serial: string }[];
};

export type Step =
  | { readonly kind: 'rest' }
  | { readonly kind: 'wait'; readonly why: string; readonly afterMs: number }
  /** Only a person can help. */
  | { readonly kind: 'stuck'; readonly why: string }
  /** A CA and a leaf from nothing: there is nothing to overlap with. */
  | { readonly kind: 'found'; readonly why: string }
  | { readonly kind: 'renew'; readonly why: string; readonly dnsNames: readonly string[] }
  | { readonly kind: 'announce'; readonly why: string }
  | { readonly kind: 'settle'; readonly settling: Settling | undefined }
  | { readonly kind: 'sign'; readonly why: string }
  | { readonly kind: 'retire' }
  /** Somebody serves another leaf again. */
  | { readonly kind: 'reopen'; readonly why: string }
  | { readonly kind: 'drop' };

export type At = { readonly now: Date; readonly policy: Policy };

const lookAgainMs = 2_000;
/** More than this and it is no skew between clocks. */
const clockToleranceMs = 10 * 60_000;

/** What is next for the certificates, decided from what is stored and seen now. */
export function planRotation(stored: Stored, facts: Facts, at: At): Step {
  if (stored.kind === 'nothing') return { kind: 'found', why: 'there is no certificate yet' };
  if (stored.kind === 'foreign') {
    return { kind: 'stuck', why: 'the Secret is there, but not labelled as managed by gatehouse' };
  }
  return mend(stored, at) ?? advance(stored, facts, at);
}

/** What cannot wait for its phase. */
function mend(stored: Ours, { now, policy }: At): Step | undefined {
  const { ca, leaf } = stored;
  if (ca === undefined) return withoutCa(stored, now, 'the CA in the Secret cannot be read');
  if (ca.notAfter <= now) return withoutCa(stored, now, 'the CA has expired');
  if (leaf !== undefined && leaf.notBefore.getTime() > now.getTime() + clockToleranceMs) {
    const from = leaf.notBefore.toISOString();
    return { kind: 'stuck', why: `the leaf is not valid before ${from}: a clock is or was wrong` };
  }
  const why = whyRenew(leaf, ca, { now, policy });
  if (why === undefined) return undefined;
  if (ca.canSign) return { kind: 'renew', why, dnsNames: namesFor(leaf, now, policy) };
  // While the leaf can still be served there is time for a next CA, which steady life asks for by itself.
  return leaf !== undefined && leaf.notAfter > now ? undefined : withoutCa(stored, now, why);
}

function withoutCa({ phase, next }: Ours, now: Date, why: string): Step {
  const isReady = phase === 'announcing' && next?.canSign === true && next.notAfter > now;
  return isReady ? { kind: 'sign', why } : { kind: 'found', why };
}

function whyRenew(leaf: Leaf | undefined, ca: Authority, { now, policy }: At): string | undefined {
  if (leaf === undefined) return 'the leaf cannot be served';
  if (leaf.notAfter <= now) return 'the leaf has expired';
  const missing = policy.dnsNames.filter((name) => !leaf.dnsNames.includes(name));
  if (missing.length > 0) return `the leaf does not name ${missing.join(', ')}`;
  if (!isDue(leaf, now, policy.renewLeafBeforeMs)) return undefined;

  // A leaf ends with its CA: near that end a new one would gain nothing, and be due again at once.
  const end = Math.min(ca.notAfter.getTime(), now.getTime() + policy.leafLifetimeMs);
  const gainMs = end - leaf.notAfter.getTime();
  return gainMs > policy.renewCaBeforeMs / 4 ? 'the leaf will expire' : undefined;
}

/** Between renewals names are only added: two replicas with unlike configurations would else take turns for ever. */
function namesFor(leaf: Leaf | undefined, now: Date, policy: Policy): readonly string[] {
  const isOrdinary = leaf === undefined || isDue(leaf, now, policy.renewLeafBeforeMs);
  return isOrdinary ? policy.dnsNames : [...new Set([...policy.dnsNames, ...leaf.dnsNames])];
}

function isDue({ notAfter }: { readonly notAfter: Date }, now: Date, beforeMs: number): boolean {
  return notAfter.getTime() - now.getTime() <= beforeMs;
}

function advance(stored: Ours, facts: Facts, at: At): Step {
  switch (stored.phase) {
    case 'steady':
      return whenSteady(stored, at);
    case 'announcing':
      return whenAnnouncing(stored, facts, at);
    case 'introducing':
    case 'switching':
      return whenSwitching(stored, facts);
    case 'retiring':
      return whenRetiring(stored, facts, at);
  }
}

function whenSteady({ ca }: Ours, { now, policy }: At): Step {
  if (ca?.canSign !== true) return { kind: 'announce', why: "the CA's key is lost" };
  if (isDue(ca, now, policy.renewCaBeforeMs))
    return { kind: 'announce', why: 'the CA will expire' };
  return { kind: 'rest' };
}

function whenAnnouncing({ next, settling }: Ours, { bundles }: Facts, { now, policy }: At): Step {
  if (next?.canSign !== true || next.notAfter <= now) {
    return { kind: 'announce', why: 'the next CA cannot be used' };
  }
  const progress = progressOf(bundles, settling, { now, settleMs: policy.settleMs });
  switch (progress.kind) {
    case 'lacking':
      return settling === undefined
        ? wait(`the next CA is not yet in ${bundles.lacking.join(', ')}`)
        : { kind: 'settle', settling: undefined };
    case 'begins':
      return { kind: 'settle', settling: progress.settling };
    case 'settles':
      return wait('API servers learn of the next CA', progress.leftMs);
    case 'settled':
      return { kind: 'sign', why: 'every bundle carries the next CA' };
  }
}

function whenSwitching(stored: Ours, facts: Facts): Step {
  const behind = replicasBehind(stored, facts);
  return behind === undefined ? { kind: 'retire' } : wait(behind);
}

function whenRetiring(stored: Ours, facts: Facts, { now, policy }: At): Step {
  const behind = replicasBehind(stored, facts);
  if (behind !== undefined) return { kind: 'reopen', why: behind };
  const leftMs = stored.since && leftOf(stored.since, now, policy.settleMs);
  if (leftMs === undefined) return { kind: 'retire' };
  return leftMs > 0 ? wait('the CA before is kept a little longer', leftMs) : { kind: 'drop' };
}

function replicasBehind({ leaf }: Ours, { replicas }: Facts): string | undefined {
  const behind = replicas.filter(({ serial }) => serial !== leaf?.serial);
  if (behind.length === 0) return undefined;
  return `${behind.map(({ name }) => name).join(', ')} does not serve the new leaf yet`;
}

function wait(why: string, afterMs = lookAgainMs): Step {
  return { kind: 'wait', why, afterMs: Math.min(afterMs, lookAgainMs * 30) };
}
