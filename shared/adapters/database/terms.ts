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

export function termOf(realm: Realm, sought: Sought): string {
  return termFrom(textOf(realm), sought.kind, wordOf(sought));
}

function termFrom(realm: string, kind: Sought['kind'], word: string): string {
  const term = `${realm} ${kind} ${word}`;
  return storable(term.length > longestTerm ? `sha256 ${digest(term)}` : term);
}

function textOf({ cluster, group, resource }: Realm): string {
  return `${cluster}/${group}/${resource}`;
}

/** Postgres takes neither NUL nor half a character; a foreign API server may send both. */
export function storable(text: string): string {
  return isStorable(text) ? text : text.toWellFormed().replaceAll('\0', '\uFFFD');
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

export type Found = {
  readonly labels: Labels;
  readonly owners: readonly string[];
  readonly keys: readonly string[];
};
type Labels = Readonly<Record<string, string>>;

export function termsOf(realm: Realm, { labels, owners, keys }: Found): readonly string[] {
  const at = textOf(realm);
  const terms: string[] = [];
  for (const key in labels) terms.push(termFrom(at, 'label', labelText(key, labels[key] ?? '')));
  for (const uid of owners) terms.push(termFrom(at, 'owner', uid));
  for (const key of keys) terms.push(termFrom(at, 'key', key));
  return terms;
}

/** An aggregated API server may say anything: what is no text no selector finds. Nearly all can be kept as they are. */
export function labelsOf({ metadata }: KubeObject): Labels {
  const stated: object = metadata.labels ?? {};
  return areStorable(stated) ? stated : storableOf(stated);
}

function areStorable(labels: unknown): labels is Labels {
  if (!isJsonObject(labels)) return false;
  for (const key in labels) {
    const value = labels[key];
    if (typeof value !== 'string' || !isStorable(key) || !isStorable(value)) return false;
  }
  return true;
}

function storableOf(stated: object): Labels {
  const labels: readonly (readonly [string, unknown])[] = Object.entries(stated);
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
      return labelText(sought.key, sought.value);
    case 'owner':
      return sought.uid;
    case 'key':
      return sought.key;
  }
}

function labelText(key: string, value: string): string {
  return `${key}=${value}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
