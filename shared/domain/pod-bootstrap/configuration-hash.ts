import { decode } from '../decode.ts';
import { isJsonObject, sameJson } from '../json.ts';
import { type BootstrapDocument, plainDocument } from './document.ts';
import { sha256 } from './sha-256.ts';

type Told = { readonly landscape: string; readonly pullSecret: string };

/**
 * Of all that decides what a pod becomes. What is as it would be unsaid is left out: two releases, of which one knows
 * more keys, agree on the hash, and an update of Gatehouse makes no pod stale.
 */
export function configurationHash(document: BootstrapDocument, told: Told): string {
  const { clusterTrustBundle, ...rest } = document;
  const { resyncInterval: _paceOnly, ...bundle } = clusterTrustBundle;
  return sha256(
    sorted({
      ...stated(rest, unsaid),
      bundle: stated(bundle, isJsonObject(unsaid) ? unsaid['clusterTrustBundle'] : undefined),
      ...told,
    }),
  );
}

const empty = decode(plainDocument, {});
const unsaid: unknown = empty.ok ? empty.value : {};

function stated(values: object, defaults: unknown): object {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([key, value]) => !isJsonObject(defaults) || !sameJson(value, defaults[key]),
    ),
  );
}

/** JSON in which the order of keys means nothing. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
