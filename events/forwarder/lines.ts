import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Line } from '#shared/domain/watched.ts';
import { type Seen, seenOf } from './seen.ts';
import { furthest } from './versions.ts';

export type Read = {
  readonly seen: readonly Seen[];
  /** How far the last of them reaches. */
  readonly resourceVersion: string | undefined;
  /** Too long to be read, but it says whose it is: that object is asked for by itself. */
  readonly unread: readonly { readonly namespace: string; readonly name: string }[];
  /** A line that nobody can read: only a whole comparison tells what it said. */
  readonly refused: string | undefined;
};

/** What lines say, up to the first that cannot be read. */
export function readLines(lines: readonly Line[]): Read {
  const bad = lines.findIndex((line) => whyUnreadable(line) !== undefined);
  const good = bad < 0 ? lines : lines.slice(0, bad);
  const refused = lines[bad];
  return {
    seen: good.flatMap(seenIn),
    resourceVersion: good.map(versionOf).reduce(furthest, undefined),
    unread: good.flatMap(unreadIn),
    refused: refused === undefined ? undefined : whyUnreadable(refused),
  };
}

function seenIn(line: Line): readonly Seen[] {
  if (line.kind !== 'change') return [];
  return [seenOf(line.object, line.type === 'DELETED' ? 'deleted' : 'present')];
}

function unreadIn(line: Line): Read['unread'] {
  if (line.kind !== 'oversized' || line.name === undefined) return [];
  return [{ namespace: line.namespace ?? '', name: line.name }];
}

function whyUnreadable(line: Line): string | undefined {
  switch (line.kind) {
    case 'garbled':
      return line.why;
    case 'oversized':
      return line.name === undefined ? `a line of ${line.bytes} bytes names no object` : undefined;
    case 'change':
      return whyNobody(line.object);
    case 'bookmark':
      return undefined;
  }
}

/** Without these, no two of its states can be told apart, nor it from another one of its name. */
export function whyNobody({ metadata: { uid, resourceVersion } }: KubeObject): string | undefined {
  const isSomebody = typeof uid === 'string' && typeof resourceVersion === 'string';
  return isSomebody ? undefined : 'an object without uid or resourceVersion';
}

/** An oversized line has one as well, but nobody could read it. */
function versionOf(line: Line): string | undefined {
  if (line.kind === 'bookmark') return line.resourceVersion;
  return line.kind === 'change' ? line.object.metadata.resourceVersion : undefined;
}
