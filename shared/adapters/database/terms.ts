import { createHash } from 'node:crypto';
import { isJsonObject } from '#shared/domain/json.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';

/** Whose objects a term finds: of one cluster and kind. */
export type Realm = Pick<Kind, 'group' | 'resource'> & { readonly cluster: string };

export type Sought =
  | { readonly kind: 'label'; readonly key: string; readonly value: string }
  | { readonly kind: 'owner'; readonly uid: string }
  | { readonly kind: 'key'; readonly key: string };

/** An entry of the index takes 2,700 bytes at most, and a text of ours up to four a letter. */
const longestTerm = 500;

export function termOf({ cluster, group, resource }: Realm, sought: Sought): string {
  const term = `${cluster}/${group}/${resource} ${sought.kind} ${wordOf(sought)}`;
  return storable(term.length > longestTerm ? `sha256 ${digest(term)}` : term);
}

/** Postgres takes neither NUL nor half a character; a foreign API server may send both. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

export function termsOf(realm: Realm, object: KubeObject, keys: readonly string[]): string[] {
  const sought: readonly Sought[] = [
    ...Object.entries(labelsOf(object)).map(
      ([key, value]) => ({ kind: 'label', key, value }) as const,
    ),
    ...ownersOf(object).map((uid) => ({ kind: 'owner', uid }) as const),
    ...keys.map((key) => ({ kind: 'key', key }) as const),
  ];
  return sought.map((each) => termOf(realm, each));
}

/** An aggregated API server may say anything: what is no text no selector finds. */
export function labelsOf({ metadata }: KubeObject): Readonly<Record<string, string>> {
  const labels: readonly (readonly [string, unknown])[] = Object.entries(metadata.labels ?? {});
  return Object.fromEntries(
    labels.flatMap(([key, value]) =>
      typeof value === 'string' ? [[storable(key), storable(value)]] : [],
    ),
  );
}

export function ownersOf({ metadata }: KubeObject): readonly string[] {
  const references = metadata['ownerReferences'];
  const owners = (Array.isArray(references) ? references : []).filter(isJsonObject);
  return owners.flatMap(({ uid }) => (typeof uid === 'string' ? [storable(uid)] : []));
}

function wordOf(sought: Sought): string {
  switch (sought.kind) {
    case 'label':
      return `${sought.key}=${sought.value}`;
    case 'owner':
      return sought.uid;
    case 'key':
      return sought.key;
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
