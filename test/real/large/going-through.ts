import { wakeExisting } from '#events/forwarder/backfilling.ts';
import { compare, type Found } from '#events/forwarder/comparing.ts';
import { followedFrom } from '#events/forwarder/followed.ts';
import { listAll } from '#events/forwarder/listing.ts';
import { freshMemory } from '#events/forwarder/memory.ts';
import { sayVersion } from '#events/forwarder/reshaping.ts';
import type { Seen } from '#events/forwarder/seen.ts';
import { usualPace, type World } from '#events/forwarder/world.ts';
import { commitSeen, nothing, transact, type Writer } from '#events/forwarder/writer.ts';
import type { Outgoing } from '#events/queue.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import { configMaps } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cursor } from '#shared/domain/mirrored.ts';

/** What a forwarder does with all rows of a scope, in a process of its own: it prints of how many it was done. */
const [step = '', url = ''] = process.argv.slice(2);
const sql = postgres(url, { max: 2, onnotice: () => undefined });
const woken = new Set<string>();
const send = async (messages: readonly Outgoing[]) => {
  for (const { eventId } of messages) woken.add(eventId);
};

/** Of a cluster in which nobody is left. */
const stream = {
  list: async () => ({ kind: 'page', resourceVersion: '9', bytes: 100, objects: [] }),
  watch: async () => ({ kind: 'unsupported', why: 'by pages' }),
} as unknown as World['stream'];

const world: World = {
  cluster: 'main',
  stream,
  store: storeOn<Outgoing>(sql, { cluster: 'main', sender: () => ({ send }) }),
  holder: 'one',
  pace: usualPace,
  now: Date.now,
  random: Math.random,
  pause: async () => undefined,
  tell: () => undefined,
};
const cursor: Cursor = { epoch: 1, generation: 1, at: { resourceVersion: '9' } };

async function openWriter(): Promise<Writer> {
  const claimed = await world.store.claim('configmaps', 'one', 60_000);
  const indexes = { 'by-name': ({ metadata }: KubeObject) => [metadata.name ?? ''] };
  const watch = { of: configMaps, indexes, changed: ['/data'] as const };
  const [followed] = followedFrom([{ function: 'look', watch }]);
  if (claimed === undefined || followed === undefined) throw new Error('not to be had');
  const { signal } = new AbortController();
  return { world, followed, term: claimed.term, signal, memory: freshMemory() };
}

async function countWhere(condition: string): Promise<number> {
  const [counted] = await sql.unsafe(`select count(*)::int from objects where ${condition}`);
  return counted?.['count'];
}

const steps: Readonly<Record<string, (writer: Writer) => Promise<number>>> = {
  async audit(writer) {
    const rows = await sql<{ uid: string }[]>`select uid from objects`;
    const later = { namespace: 'default', name: 'any', resourceVersion: '5' };
    const found = new Map<string, Found>(rows.map(({ uid }) => [uid, later]));
    const listing = { version: '9', found };
    const suspects = await compare({ listing, slice: { of: 1, index: 0 }, cursor }, writer);
    return suspects === 'fenced' ? -1 : suspects.size;
  },
  /** Before that, all rows get the keys of an index. */
  async waking(writer) {
    await transact(writer, async (transaction) => {
      await sayVersion(writer, transaction);
      return nothing;
    });
    await wakeExisting({ kind: 'wake-existing', cursor }, writer);
    return Math.min(woken.size, await countWhere("keys = array['by-name=' || name]"));
  },
  /** All of them small by now: what each was before is looked at. */
  async change(writer) {
    const rows = await sql<{ uid: string; name: string }[]>`select uid, name from objects`;
    const seen = rows.map(({ uid, name }): Seen => {
      const metadata = { uid, name, namespace: 'default', resourceVersion: '10' };
      return { kind: 'present', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata } };
    });
    await commitSeen(writer, seen, { ...cursor, at: { resourceVersion: '10' } });
    return Math.min(woken.size, await countWhere("resource_version = '10'"));
  },
  async list(writer) {
    await listAll({ kind: 'list', cursor, why: 'a test' }, writer);
    return Math.min(woken.size, await countWhere('deleted_at is not null'));
  },
};

process.stdout.write(String(await steps[step]?.(await openWriter())));
await sql.end();
