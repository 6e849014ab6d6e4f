import { allow, deny, type Verdict } from '../verdict.ts';
import { readDocument } from './read-document.ts';
import type { PodBootstrapSettings } from './settings.ts';

type Data = Readonly<Record<string, string>>;

/** What somebody is about to do to the ConfigMap. */
export type DocumentWrite = {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly before: Data | undefined;
  readonly after: Data;
  readonly user: { readonly username: string; readonly groups: readonly string[] };
};

/** They only end what somebody else may end: a namespace, or an owner. */
const finishers: readonly string[] = [
  'system:serviceaccount:kube-system:namespace-controller',
  'system:serviceaccount:kube-system:generic-garbage-collector',
];

/** A bad document would change nothing but what is said of it; better that its writer is told at once. */
export function checkDocument(
  { operation, before, after, user }: DocumentWrite,
  { key, writers }: PodBootstrapSettings['configMap'],
): Verdict {
  const isDeletion = operation === 'DELETE';
  if (!isWriter(user, writers) && !(isDeletion && finishers.includes(user.username))) {
    return deny(
      `${user.username} may not write the platform's configuration of pods: podBootstrap.configMap.writers names who may`,
    );
  }
  if (isDeletion) return allow();

  const source = ownIn(after, key);
  if (source === undefined) return deny(`it has no key ${key}, which holds the document`);
  const read = readDocument(source);
  if (read.ok) return allow(...fewest(read.warnings));
  // Or nobody could put a label on a ConfigMap that is bad already.
  if (before !== undefined && ownIn(before, key) === source) {
    return allow(...fewest([`the document is bad as it was: ${read.problems[0]}`]));
  }
  const [first, ...rest] = read.problems;
  return deny(first, ...fewest(rest));
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
