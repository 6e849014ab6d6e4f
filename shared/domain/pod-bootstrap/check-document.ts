import { sameJson } from '../json.ts';
import { allow, deny, type Verdict } from '../verdict.ts';
import { type DocumentRead, readDocument } from './read-document.ts';
import type { PodBootstrapSettings } from './settings.ts';

type Data = Readonly<Record<string, string>>;

/** Of the ConfigMap what decides how pods start, and who may take it away. */
export type DocumentMap = {
  readonly metadata: { readonly ownerReferences?: unknown };
  readonly data: Data;
  readonly binaryData: Data;
  readonly immutable: boolean;
};

/** What somebody is about to do to the ConfigMap. */
export type DocumentWrite = {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly before: DocumentMap | undefined;
  readonly after: DocumentMap;
  readonly user: { readonly username: string; readonly groups: readonly string[] };
};

/**
 * They only end what somebody else may end: a namespace, an owner, or the ConfigMap itself, whose finalizers the collector
 * takes off by an update. The last one is all of them, where controllers have no accounts of their own.
 */
const finishers: readonly string[] = [
  'system:serviceaccount:kube-system:namespace-controller',
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:kube-controller-manager',
];

/** A bad document would change nothing but what is said of it; better that its writer is told at once. */
export function checkDocument(
  write: DocumentWrite,
  { key, writers }: PodBootstrapSettings['configMap'],
): Verdict {
  const { operation, before, after, user } = write;
  const isDeletion = operation === 'DELETE';
  if (!isWriter(user, writers) && !isIdle(write)) {
    return deny(
      `${user.username} may not write the platform's configuration of pods: podBootstrap.configMap.writers names who may`,
    );
  }
  if (isDeletion) return allow();

  const source = ownIn(after.data, key);
  const read = readDocumentAt(after.data, key);
  if (read.ok) return allow(...fewest(read.warnings));
  const [first, ...rest] = read.problems;
  // Or nobody could put a label on a ConfigMap that is bad already.
  const isAsItWas = before !== undefined && ownIn(before.data, key) === source;
  return isAsItWas
    ? allow(`the document is bad as it was: ${first}`)
    : deny(first, ...fewest(rest));
}

/** As it stands in a ConfigMap. */
export function readDocumentAt(data: Data, key: string): DocumentRead {
  const source = ownIn(data, key);
  if (source !== undefined) return readDocument(source);
  return { ok: false, problems: [`it has no key ${key}, which holds the document`] };
}

/** Nothing that pods are started by: anybody may do what the cluster lets him do. */
function isIdle({ operation, before, after, user }: DocumentWrite): boolean {
  const isFinisher = finishers.includes(user.username);
  if (operation === 'DELETE') return isFinisher;
  if (before === undefined || !sameJson(contentOf(before), contentOf(after))) return false;
  // With an owner that is not there the collector would take it away.
  const [owners, former] = [after, before].map(({ metadata }) => metadata.ownerReferences);
  return isFinisher || sameJson(owners, former);
}

function contentOf({ data, binaryData, immutable }: DocumentMap) {
  return { data, binaryData, immutable };
}

function isWriter(
  { username, groups }: DocumentWrite['user'],
  writers: readonly string[],
): boolean {
  return writers.length === 0 || [username, ...groups].some((name) => writers.includes(name));
}

function ownIn(data: Data, key: string): string | undefined {
  return Object.hasOwn(data, key) ? data[key] : undefined;
}

const most = 8;

function fewest(texts: readonly string[]): readonly string[] {
  if (texts.length <= most) return texts;
  return [...texts.slice(0, most), `and ${texts.length - most} more`];
}
