import type { CertificateReader, KeyPair } from './certificate.ts';
import { bundleOf, certificatesIn } from './pem.ts';
import { backdateMs } from './policy.ts';
import type { At, Ours, Step, Stored } from './rotation.ts';
import { authoritiesOf, type Contents, nothing, type Rotation } from './secret.ts';

/** The steps that change the Secret. */
export type Writing = Exclude<Step, { readonly kind: 'rest' | 'wait' | 'stuck' }>;

/** What is to be issued for a step, and by whom. */
export type Order = {
  readonly ca?: Lifetime;
  /** `new` is the CA of the same order. */
  readonly leaf?: Lifetime & { readonly by: KeyPair | 'new'; readonly dnsNames: readonly string[] };
};
type Lifetime = { readonly notBefore: Date; readonly notAfter: Date };

export function orderFor(
  step: Writing,
  { ca, caKey, next, nextKey }: Contents,
  { now, policy }: At,
): Order {
  const lifetime = (milliseconds: number): Lifetime => ({
    notBefore: new Date(now.getTime() - backdateMs),
    notAfter: new Date(now.getTime() + milliseconds),
  });
  const forCa = lifetime(policy.caLifetimeMs);
  const forLeaf = { ...lifetime(policy.leafLifetimeMs), dnsNames: policy.dnsNames };
  switch (step.kind) {
    case 'found':
      return { ca: forCa, leaf: { ...forLeaf, by: 'new' } };
    case 'announce':
      return { ca: forCa };
    case 'renew':
      return { leaf: { ...forLeaf, by: { certificate: ca, key: caKey }, dnsNames: step.dnsNames } };
    case 'sign':
      return { leaf: { ...forLeaf, by: { certificate: next, key: nextKey } } };
    default:
      return {};
  }
}

export type Issued = { readonly ca?: KeyPair; readonly leaf?: KeyPair };

export type Next = { readonly contents: Contents; readonly rotation: Rotation };

type Before = {
  readonly contents: Contents;
  readonly stored: Stored;
};

/** The Secret as it stands after the step. */
export function afterStep(
  step: Writing,
  { contents, stored }: Before,
  { issued, now, reader }: With,
): Next {
  const next = contentsAfter(step, contents, { issued, now, reader });
  const rotation = rotationAfter(step, stored.kind === 'ours' ? stored : undefined, now);
  return { contents: next, rotation: { ...rotation, ca: reader.read(next.ca)?.serial ?? '' } };
}

type With = { readonly issued: Issued; readonly now: Date; readonly reader: CertificateReader };

function contentsAfter(step: Writing, before: Contents, { issued, now, reader }: With): Contents {
  const { ca, leaf } = issued;
  const withLeaf = leaf === undefined ? {} : { leaf: leaf.certificate, leafKey: leaf.key };
  switch (step.kind) {
    case 'found':
      return {
        ...nothing,
        ...withLeaf,
        ca: ca?.certificate ?? '',
        caKey: ca?.key ?? '',
        old: valid(authoritiesOf(before), now, reader),
      };
    case 'renew':
      return { ...before, ...withLeaf };
    case 'announce':
      return { ...before, next: ca?.certificate ?? '', nextKey: ca?.key ?? '' };
    case 'sign':
      return {
        ...nothing,
        ...withLeaf,
        ca: before.next,
        caKey: before.nextKey,
        old: valid(bundleOf(before.old, before.ca), now, reader),
      };
    case 'drop':
      return { ...before, old: '', next: '', nextKey: '' };
    case 'settle':
    case 'retire':
    case 'reopen':
      return before;
  }
}

function rotationAfter(step: Writing, stored: Ours | undefined, now: Date): Omit<Rotation, 'ca'> {
  switch (step.kind) {
    case 'found':
      return { phase: 'introducing', since: now };
    case 'renew':
      return {
        phase: stored?.phase ?? 'introducing',
        since: stored?.since ?? now,
        settling: stored?.settling,
      };
    case 'announce':
      return { phase: 'announcing', since: now };
    case 'settle':
      return { phase: 'announcing', since: stored?.since ?? now, settling: step.settling };
    case 'sign':
    case 'reopen':
      return { phase: 'switching', since: now };
    case 'retire':
      return { phase: 'retiring', since: now };
    case 'drop':
      return { phase: 'steady', since: now };
  }
}

function valid(authorities: string, now: Date, reader: CertificateReader): string {
  return certificatesIn(authorities)
    .filter((authority) => (reader.read(authority)?.notAfter ?? now) > now)
    .join('');
}
