import type { Namespace } from '../namespace.ts';
import { namespaceTrust } from './namespace-trust.ts';
import type { NamespaceTrust, TrustMode } from './rules.ts';
import type { ImageTrustSettings } from './settings.ts';

type Find = (name: string) => Promise<Namespace | undefined>;

export type Sources = { readonly find: Find; readonly findLive: Find };

/**
 * What a cache calls off is believed only when the cluster says it too: it may have been labelled a moment ago. So is another
 * mode than the one by which the API server asks.
 */
export async function trustIn(
  namespaces: Sources,
  name: string,
  settings: ImageTrustSettings,
  mode?: TrustMode,
): Promise<NamespaceTrust> {
  const known = await trustKnown(namespaces, name, settings);
  const isBelieved = known.kind !== 'off' && (mode === undefined || known.mode === mode);
  return isBelieved ? known : trustOf(await namespaces.findLive(name), settings);
}

export async function trustKnown(
  { find }: Pick<Sources, 'find'>,
  name: string,
  settings: ImageTrustSettings,
): Promise<NamespaceTrust> {
  return trustOf(await find(name), settings);
}

type Made = { readonly settings: ImageTrustSettings; readonly trust: NamespaceTrust };

const made = new WeakMap<Namespace, Made>();

/** Made once for a namespace as it was read: all its pods share it until one of the two is another. */
function trustOf(found: Namespace | undefined, settings: ImageTrustSettings): NamespaceTrust {
  if (found === undefined) return { kind: 'off' };
  const known = made.get(found);
  if (known?.settings === settings) return known.trust;

  const trust = namespaceTrust(found, settings);
  made.set(found, { settings, trust });
  return trust;
}
