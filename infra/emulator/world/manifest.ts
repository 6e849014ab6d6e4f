import { isJsonObject, isList, type Json } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';

/** One object, several, a `List`, or YAML of any number of documents. */
export type Manifest = string | Stated | readonly Stated[];

/** An object as it is written down: what the API server adds may be left out. */
export type Stated = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly [key: string]: unknown };
  readonly [key: string]: unknown;
};

export async function objectsIn(manifest: Manifest): Promise<readonly KubeObject[]> {
  if (typeof manifest !== 'string') return [manifest].flat().flatMap(object);
  // YAML costs 20 ms to load, and most tests have none.
  const { parseAllDocuments } = await import('yaml');
  return parseAllDocuments(manifest).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new Error(`the YAML cannot be read: ${error.message}`);
    const value: unknown = document.toJS();
    return value === null ? [] : object(value);
  });
}

function object(value: unknown): readonly KubeObject[] {
  // As it would go over the wire: no undefined, no dates, nothing that is shared with the test.
  const plain = JSON.parse(JSON.stringify(value ?? null)) as Json;
  if (!isJsonObject(plain)) throw new Error(`no object of Kubernetes: ${JSON.stringify(plain)}`);
  if (plain['kind'] === 'List')
    return (isList(plain['items']) ? plain['items'] : []).flatMap(object);
  const missing = ['apiVersion', 'kind', 'metadata'].filter(
    (key) => plain[key] === undefined || plain[key] === '',
  );
  if (missing.length > 0) {
    const { kind = 'an object', metadata } = plain;
    const name = isJsonObject(metadata) ? ` ${String(metadata['name'] ?? '')}` : '';
    throw new Error(`${String(kind)}${name} lacks ${missing.join(' and ')}`);
  }
  return [plain as KubeObject];
}
