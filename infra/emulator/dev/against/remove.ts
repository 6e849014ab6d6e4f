import type { Kind } from '#shared/domain/kind.ts';
import { namespaces } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { LabelSelector } from '#shared/domain/selector.ts';
import type { Cluster } from '#shared/ports.ts';
import { pause } from '#shared/runtime/pause.ts';
import { idOf } from '../../world/known-kinds.ts';
import { madeKinds } from './made-kinds.ts';
import { markLabel, markOf } from './mark.ts';

/** All that carries the mark; the names of what went. A namespace takes what is in it along. */
export async function removeMarked(
  cluster: Cluster,
  mark: string,
  waves: readonly (readonly Kind[])[] = madeKinds,
): Promise<readonly string[]> {
  const gone: string[] = [];
  for (const kinds of waves) {
    const names = await Promise.all(kinds.map((kind) => removeKind(cluster, kind, mark)));
    gone.push(...names.flat());
  }
  return gone;
}

async function removeKind(cluster: Cluster, kind: Kind, mark: string): Promise<readonly string[]> {
  const found = await markedOf(cluster, kind, mark);
  await Promise.all(
    found.map(({ metadata: { namespace, name = '', uid } }) =>
      cluster.delete({ kind, namespace, name }, { uid }),
    ),
  );
  return found.map((each) => nameOf(kind, each));
}

function nameOf({ kind }: Kind, { metadata: { namespace, name } }: KubeObject): string {
  return [kind, [namespace, name].filter(Boolean).join('/')].join(' ');
}

async function markedOf(
  cluster: Cluster,
  kind: Kind,
  mark: string,
): Promise<readonly KubeObject[]> {
  return thereOf(cluster, kind, { matchLabels: { [markLabel]: mark } });
}

/** What others' work has there, by its mark. */
export async function markedByOthers(cluster: Cluster, own: string): Promise<readonly Others[]> {
  const labels = { matchExpressions: [{ key: markLabel, operator: 'Exists' as const }] };
  const kinds = madeKinds.flat();
  const found = await Promise.all(kinds.map((kind) => thereOf(cluster, kind, labels)));
  const all = kinds.flatMap((kind, at) => (found[at] ?? []).map((object) => ({ kind, object })));
  const marks = new Set(all.flatMap(({ object }) => markOf(object) ?? []));
  return [...marks]
    .filter((mark) => mark !== own)
    .map((mark) => {
      const theirs = all.filter(({ object }) => markOf(object) === mark);
      return {
        mark,
        names: theirs.map(({ kind, object }) => nameOf(kind, object)),
        resources: [...new Set(theirs.map(({ kind }) => idOf(kind)))],
      };
    });
}

export type Others = {
  readonly mark: string;
  readonly names: readonly string[];
  /** As kubectl calls them, in the order in which they are to go. */
  readonly resources: readonly string[];
};

async function thereOf(
  cluster: Cluster,
  kind: Kind,
  labels: LabelSelector,
): Promise<readonly KubeObject[]> {
  const found: KubeObject[] = [];
  for await (const each of cluster.list(kind, { labels, metadataOnly: true })) {
    if (!isGoing(each)) found.push(each);
  }
  return found;
}

function isGoing({ metadata }: KubeObject): boolean {
  return metadata['deletionTimestamp'] !== undefined;
}

const lookMs = 250;
const longestMs = 60_000;

type Patience = { readonly say: (text: string) => void; readonly stopped: AbortSignal };

/** A namespace goes when all in it has gone; until then nothing can be made in it. Throws when told to stop. */
export async function untilGone(
  cluster: Cluster,
  name: string,
  { say, stopped }: Patience,
): Promise<boolean> {
  const until = performance.now() + longestMs;
  for (let isTold = false; performance.now() < until; isTold = true) {
    stopped.throwIfAborted();
    const found = await cluster.find({ kind: namespaces, name });
    if (found === undefined || !isGoing(found)) return true;
    if (!isTold) say(`waiting for namespace ${name}, which is terminating`);
    await pause(lookMs, stopped);
  }
  return false;
}
