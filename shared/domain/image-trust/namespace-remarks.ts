import type { Namespace } from '../namespace.ts';
import { modeLabel } from './label-keys.ts';
import { modeOf, namespaceTrust } from './namespace-trust.ts';
import type { ImageTrustSettings } from './settings.ts';

/** For whoever writes the namespace: what does not mean what it seems to. */
export function namespaceRemarks(
  namespace: Pick<Namespace, 'name' | 'labels' | 'annotations'>,
  settings: ImageTrustSettings,
): readonly string[] {
  const { labels } = namespace;
  if (!Object.hasOwn(labels, modeLabel)) return [];
  if (modeOf(labels) === undefined) {
    const value = JSON.stringify(labels[modeLabel]);
    return [`${modeLabel}: ${value} is neither system nor user, so that no image is verified here`];
  }
  const trust = namespaceTrust(namespace, settings);
  if (trust.kind !== 'broken') return [];
  return trust.problems.map((problem) => `${problem}; until it is mended, no pod is admitted here`);
}
