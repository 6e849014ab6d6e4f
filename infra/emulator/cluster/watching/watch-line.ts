import { apiVersion } from '#shared/domain/kind.ts';
import type { Selects } from '../reading/selecting.ts';
import { keyOfView, metaApi, textOf, type View } from '../reading/view.ts';
import type { ServedKind } from '../served-kinds.ts';
import type { Change } from '../store/history.ts';
import { reversioned, type Stored } from '../store/stored.ts';
import { tableHead } from '../tables/table.ts';

export type Seen = { readonly type: Change['type']; readonly stored: Stored };

/** What a change is to somebody who sees only what matches: who stops matching is deleted, in the state that was seen last. */
export function seenBy(selects: Selects, { type, version, now, before }: Change): Seen | undefined {
  const isSeen = type !== 'DELETED' && selects(now);
  const wasSeen = before !== undefined && selects(before);
  if (isSeen) return { type: wasSeen ? 'MODIFIED' : 'ADDED', stored: now };
  if (!wasSeen) return undefined;
  return { type: 'DELETED', stored: type === 'DELETED' ? now : reversioned(before, version) };
}

export function lineOf({ type, stored }: Seen, kind: ServedKind, view: View): Buffer {
  return Buffer.from(`{"type":"${type}","object":${textOf(stored, kind, view)}}\n`);
}

/** Written once for all who watch: of ten watchers, nine find it here. */
export function lineCache(size: number) {
  const lines = new Map<string, Buffer>();
  return (seen: Seen, kind: ServedKind, view: View): Buffer => {
    const { type, stored } = seen;
    const key = `${stored.version} ${type} ${keyOfView(view)} ${kind.resource}.${kind.group}`;
    const known = lines.get(key);
    if (known !== undefined) return known;

    const line = lineOf(seen, kind, view);
    lines.set(key, line);
    const [oldest] = lines.keys();
    if (lines.size > size && oldest !== undefined) lines.delete(oldest);
    return line;
  };
}

type Mark = { readonly version: number; readonly isInitialEnd: boolean };

export function bookmarkLine(
  kind: ServedKind,
  view: View,
  { version, isInitialEnd }: Mark,
): Buffer {
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  const metadata = { resourceVersion: String(version), ...(isInitialEnd && { annotations }) };
  const { shape } = view;
  if (shape.kind === 'table') {
    const object = `${tableHead(undefined, { resourceVersion: String(version) }, metaApi(shape.form))}[]}`;
    return Buffer.from(`{"type":"BOOKMARK","object":${object}}\n`);
  }
  const type =
    shape.kind === 'partial'
      ? { kind: 'PartialObjectMetadata', apiVersion: metaApi(shape.form) }
      : { kind: kind.kind, apiVersion: apiVersion({ group: kind.group, version: view.version }) };
  return Buffer.from(`${JSON.stringify({ type: 'BOOKMARK', object: { ...type, metadata } })}\n`);
}

export function errorLine(status: object | string): Buffer {
  return Buffer.from(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
}
