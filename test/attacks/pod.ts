import type { JsonObject } from '#shared/domain/json.ts';

export function podOf(...images: readonly string[]): JsonObject {
  return podWithSpec({ containers: images.map(containerOf) });
}

export function podWithSpec(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', ...metadata },
    spec: { serviceAccountName: 'default', ...spec },
  };
}

export function containerOf(image: string, index = 0): JsonObject {
  return { name: `c${index}`, image };
}
