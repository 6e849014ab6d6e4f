import { setTimeout as pause } from 'node:timers/promises';
import type { Kind } from '#shared/domain/kind.ts';
import type { Cluster, Target, Write } from '#shared/ports.ts';
import type { Writes } from '#test/bench/chaos/traffic.ts';

const patienceMs = 60_000;

/** One write after the other, and each until it has come about: the API server may be away. */
export function queuedWrites(cluster: Cluster): Writes & { written(): Promise<void> } {
  const living = new Set<string>();
  let last = Promise.resolve();
  const then = (write: () => Promise<boolean>) => {
    last = last.then(() => persisting(write));
    // Whoever waits for all of it is told.
    last.catch(() => {});
  };
  return {
    create(kind, object) {
      const { namespace, name = '' } = object.metadata;
      const target = targetOf(kind, { name, ...(namespace !== undefined && { namespace }) });
      const created = { uid: '' };
      living.add(keyOf(target));
      then(async () => {
        const { kind: outcome } = await cluster.create(kind, object);
        // Its answer may have been lost.
        if (outcome !== 'written' && outcome !== 'conflict') return false;
        created.uid = (await cluster.find(target))?.metadata.uid ?? '';
        return created.uid !== '';
      });
      return created;
    },
    patch(kind, at, body) {
      const target = targetOf(kind, at);
      then(async () => isWritten(await cluster.patch(target, { type: 'merge', body })));
    },
    delete(kind, at) {
      const target = targetOf(kind, at);
      living.delete(keyOf(target));
      then(async () => {
        const write = await cluster.delete(target);
        return isWritten(write) || write.kind === 'not-found';
      });
    },
    find: (kind, at) => (living.has(keyOf(targetOf(kind, at))) ? at : undefined),
    written: () => last,
  };
}

async function persisting(write: () => Promise<boolean>): Promise<void> {
  let why: unknown;
  for (const end = performance.now() + patienceMs; performance.now() < end; await pause(50)) {
    const isDone = await write().catch((cause: unknown) => {
      why = cause;
      return false;
    });
    if (isDone) return;
  }
  throw new Error('a write did not come about', { cause: why });
}

function isWritten({ kind }: Write): boolean {
  return kind === 'written';
}

function targetOf(kind: Kind, { name, namespace }: { name: string; namespace?: string }): Target {
  return { kind, name, ...(kind.namespaced && { namespace }) };
}

function keyOf({ kind, namespace, name }: Target): string {
  return `${kind.resource} ${namespace ?? ''}/${name}`;
}
