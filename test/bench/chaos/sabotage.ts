import { setTimeout as after } from 'node:timers/promises';
import { pods } from '#shared/domain/kind.ts';
import { as } from './database.ts';
import { until, type World } from './world.ts';

/**
 * Takes a message out of the queue behind everybody's back, as a bug would: of a pod's last change, or of its deletion.
 * The checker must say so.
 */
export async function loseMessage(world: World, of: 'change' | 'deletion'): Promise<void> {
  const { cluster, database, workers } = world;
  const at = { namespace: 'default', name: `lost-${of}` };
  const about = { apiVersion: 'v1', kind: 'Pod' };
  const metadata = { ...at, labels: {} };
  const { uid } = cluster.objects.create(pods, { ...about, metadata, spec: { serial: 0 } });
  await until(() => {
    world.drain();
    return world.checker.cases.get(`note-pod ${uid}`)?.runs === 1;
  }, patienceMs);
  // Not in the midst of the settle, whose locks it would keep.
  await after(200);
  for (const worker of workers) worker.pause();
  if (of === 'deletion') cluster.objects.delete(pods, at);
  else cluster.objects.patch(pods, at, { spec: { serial: 1 } });
  await takeAway(database.url, at.name);
  for (const worker of workers) worker.resume();
}

const patienceMs = 5_000;

async function takeAway(url: string, name: string): Promise<void> {
  await as(url, async (sql) => {
    for (const deadline = performance.now() + patienceMs; ; await after(20)) {
      const gone = await sql`
        with gone as (delete from queue_groups
          where function like '%note-pod' and key like ${`%/${name}`} returning id)
        delete from queue_messages where group_id in (select id from gone) returning 1`;
      if (gone.length > 0) return;
      if (performance.now() > deadline) throw new Error(`there was never a message of ${name}`);
    }
  });
}

/** Takes a pod out of the mirror, as if nobody had ever told of it: the forwarder's own count must say so. */
export async function loseRow({ cluster, database }: World): Promise<void> {
  const name = 'lost-row';
  const metadata = { namespace: 'default', name, labels: {} };
  cluster.objects.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec: { serial: 0 } });
  await as(database.url, async (sql) => {
    for (const deadline = performance.now() + patienceMs; ; await after(20)) {
      const gone = await sql`delete from objects where name = ${name} returning 1`;
      if (gone.length > 0) return;
      if (performance.now() > deadline) throw new Error('it was never in the mirror');
    }
  });
}
