import type { Kind } from '#shared/domain/kind.ts';
import { namespaces } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster } from '#shared/ports.ts';
import { pause } from '#shared/runtime/worker/pause.ts';
import { madeKinds } from './made-kinds.ts';
import { markLabel } from './mark.ts';

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
  return found.map(({ metadata: { namespace, name } }) =>
    [kind.kind, [namespace, name].filter(Boolean).join('/')].join(' '),
  );
}

async function markedOf(cluster: Cluster, kind: Kind, mark: string): Promise<KubeObject[]> {
  const labels = { matchLabels: { [markLabel]: mark } };
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
