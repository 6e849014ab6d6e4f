import { isJsonObject } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import { sha256 } from './sha-256.ts';
import type { TrustBundle } from './trust-bundle.ts';

/** `undefined` where the object is not there, or only its metadata is. */
export function bundleSeen(object: KubeObject | undefined): TrustBundle | undefined {
  const spec = object?.['spec'];
  const text = isJsonObject(spec) ? spec['trustBundle'] : undefined;
  return typeof text === 'string' ? { kind: 'present', hash: sha256(text) } : undefined;
}
