import { anyObject, type Decoded, optional, record, text } from '../decode.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';

/** Only what image trust looks at. Marks that are missing or null are the same here: they are set as a whole. */
export const trustPod = record({
  metadata: record({
    labels: optional(anyObject, {}),
    annotations: optional(anyObject, {}),
    deletionTimestamp: optional(text),
  }),
  spec: anyObject,
});

export type TrustPod = Decoded<typeof trustPod>;

/** Whose pull secrets may be shown to a registry. */
export function pullerOf({ spec }: TrustPod, namespace: string) {
  const { serviceAccountName, imagePullSecrets } = spec;
  return {
    namespace,
    serviceAccount: nonEmpty(serviceAccountName) ?? 'default',
    pullSecrets: secretNames(imagePullSecrets),
  };
}

function secretNames(list: Json | undefined): readonly string[] {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  return items.flatMap((item) => (isJsonObject(item) ? (nonEmpty(item['name']) ?? []) : []));
}

function nonEmpty(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function markOf(marks: JsonObject, key: string): string | undefined {
  const value = Object.hasOwn(marks, key) ? marks[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}
