import type { Namespace } from '../namespace.ts';
import { modeLabel } from './label-keys.ts';
import type { NamespaceTrust, NotaryVerifier, TrustMode, Verifier, Vouching } from './rules.ts';
import { type ImageTrustSettings, milliseconds, registriesIn } from './settings.ts';
import { readUserTrust } from './user-trust.ts';

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
  const { URL: url, roles, allowedRegistries, timeout } = settings.notary;
  const notary = { kind: 'notary', url, reach: 'internal', roles } as const;
  return {
    kind: 'rules',
    mode: 'system',
    rules: {
      ...verifiersFor(name, notary, settings),
      allowed: registriesIn(allowedRegistries),
      owner: 'platform',
      timeoutMs: bounded(milliseconds(timeout)),
    },
    isStrict: settings.admission.strictMode,
  };
}

function userTrust({ name, annotations }: Named, settings: ImageTrustSettings): NamespaceTrust {
  const { roles, predefinedUserAllowedRegistries } = settings.notary;
  const wanted = wantedFor(name, settings);
  const asksNotary = [wanted, ...wanted.registries].some(({ verifiers }) =>
    verifiers.includes('notary'),
  );
  const read = readUserTrust(annotations, { hosts: settings.userHosts, asksNotary });
  if (!read.ok) return { kind: 'broken', mode: 'user', problems: read.problems };

  const { url, allowed, timeoutMs, isStrict } = read.stated;
  const notary = { kind: 'notary', url, reach: 'public', roles } as const;
  return {
    kind: 'rules',
    mode: 'user',
    rules: {
      ...verifiersFor(name, notary, settings),
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

function verifiersFor(name: string, notary: NotaryVerifier, settings: ImageTrustSettings) {
  const { registries, ...wanted } = wantedFor(name, settings);
  return {
    ...vouchingBy(wanted, notary),
    registries: registries.map(({ prefix, ...own }) => ({ prefix, ...vouchingBy(own, notary) })),
  };
}

type Wanted = Pick<ImageTrustSettings, 'verifiers' | 'need'> & {
  readonly authorities?: readonly string[] | undefined;
};

/** Of a user's namespace it is its own Notary, whatever is asked for. */
function vouchingBy(
  { verifiers, need, authorities = [] }: Wanted,
  notary: NotaryVerifier,
): Vouching {
  const cosign = { kind: 'cosign', authorities } as const;
  const [first = 'notary', ...rest] = verifiers;
  const verifierOf = (kind: 'notary' | 'cosign'): Verifier => (kind === 'notary' ? notary : cosign);
  const all: readonly [Verifier, ...Verifier[]] = [verifierOf(first), ...rest.map(verifierOf)];
  return { verifiers: all, need };
}

/** Zero is upstream's word for no limit. */
function bounded(ms: number): number {
  return ms === 0 ? longestMs : Math.min(ms, longestMs);
}
