import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';

/** What the pinned kube-apiserver publishes, as `published/make.ts` has written it down. */
export function readPublished(name: string): Buffer {
  return brotliDecompressSync(readFileSync(new URL(`./published/${name}.br`, import.meta.url)));
}

export function parsePublished(name: string): JsonObject {
  const value: unknown = JSON.parse(readPublished(name).toString());
  if (!isJsonObject(value)) throw new Error(`${name} is no object`);
  return value;
}

/** Read when first asked for, then kept. */
export function once<T>(read: () => T): () => T {
  let kept: { readonly value: T } | undefined;
  return () => {
    kept ??= { value: read() };
    return kept.value;
  };
}
