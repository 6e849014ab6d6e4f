import type { Namespace } from '../namespace.ts';
import { modeLabel } from './label-keys.ts';
import { withUsualPort } from './registry-rules.ts';
import type { NamespaceTrust, TrustMode, Vouching } from './rules.ts';
import { type ImageTrustSettings, milliseconds, registriesIn } from './settings.ts';
import { readUserTrust } from './user-trust.ts';
import type { Wanted } from './verifiers/words.ts';
import { type Verifier, type VerifierKind, wordsFor } from './verifiers.ts';

/** The bound of any verification: what somebody states beyond it is this. */
const longestMs = 60_000;

type Named = Pick<Namespace, 'name' | 'labels' | 'annotations'>;

/** Who has to have signed what runs in the namespace. */
export function namespaceTrust(namespace: Named, settings: ImageTrustSettings): NamespaceTrust {
  switch (modeOf(namespace.labels)) {
    case 'system':
      return systemTrust(namespace, settings);
    case 'user':
      return userTrust(namespace, settings);
    case undefined:
      return { kind: 'off' };
  }
}

export function modeOf(labels: Namespace['labels']): TrustMode | undefined {
  const value = Object.hasOwn(labels, modeLabel) ? labels[modeLabel] : undefined;
  if (value === 'user') return 'user';
  return value === 'system' || value === 'enabled' ? 'system' : undefined;
}

function systemTrust({ name }: Named, settings: ImageTrustSettings): NamespaceTrust {
  const { URL: url, allowedRegistries, timeout } = settings.notary;
  return {
    kind: 'rules',
    mode: 'system',
    rules: {
      ...verifiersFor(name, { url, reach: 'internal' }, settings),
      allowed: registriesIn(allowedRegistries),
      owner: 'platform',
      timeoutMs: bounded(milliseconds(timeout)),
    },
    isStrict: settings.admission.strictMode,
  };
}

function userTrust({ name, annotations }: Named, settings: ImageTrustSettings): NamespaceTrust {
  const { predefinedUserAllowedRegistries } = settings.notary;
  const wanted = wantedFor(name, settings);
  const asksNotary = [wanted, ...wanted.registries].some(({ verifiers }) =>
    verifiers.includes('notary'),
  );
  const read = readUserTrust(annotations, { hosts: settings.userHosts, asksNotary });
  if (!read.ok) return { kind: 'broken', mode: 'user', problems: read.problems };

  const { url, allowed, timeoutMs, isStrict } = read.stated;
  return {
    kind: 'rules',
    mode: 'user',
    rules: {
      ...verifiersFor(name, { url, reach: 'public' }, settings),
      allowed: [...allowed, ...registriesIn(predefinedUserAllowedRegistries)],
      owner: { namespace: name },
      timeoutMs: bounded(timeoutMs),
    },
    isStrict,
  };
}

/** What is said of a namespace is all that holds there: nothing said of registries elsewhere weakens it. */
function wantedFor(name: string, settings: ImageTrustSettings) {
  const { namespaces, verifiers, need, registries } = settings;
  const own = namespaces.find(({ names }) => names.includes(name));
  return own ?? { verifiers, need, registries, authorities: undefined };
}

function verifiersFor(name: string, notary: Wanted['notary'], settings: ImageTrustSettings) {
  const { registries, ...demanded } = wantedFor(name, settings);
  const by = { notary, settings };
  const rules = withUsualPort(registries, settings.hosts);
  return {
    ...vouchingBy(demanded, by),
    registries: rules.map(({ prefix, ...own }) => ({ prefix, ...vouchingBy(own, by) })),
  };
}

type Demanded = Pick<ImageTrustSettings, 'verifiers' | 'need'> & {
  readonly authorities?: readonly string[] | undefined;
};

/** Of a user's namespace it is its own Notary, whatever is asked for. */
function vouchingBy(
  { verifiers, need, authorities = [] }: Demanded,
  by: Pick<Wanted, 'notary' | 'settings'>,
): Vouching {
  const [first = 'notary', ...rest] = verifiers;
  const verifierOf = (kind: VerifierKind): Verifier =>
    wordsFor(kind).wanted({ ...by, authorities });
  return { verifiers: [verifierOf(first), ...rest.map(verifierOf)], need };
}

/** Zero is upstream's word for no limit. */
function bounded(ms: number): number {
  return ms === 0 ? longestMs : Math.min(ms, longestMs);
}
