import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followedFrom } from '#events/forwarder/followed.ts';
import { openForwarder } from '#events/forwarder/forwarder.ts';
import { usualPace } from '#events/forwarder/world.ts';
import { senderOn } from '#events/postgres-queue/send.ts';
import { type FakeCluster, fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { namespacesInMemory } from '#infra/emulator/testing/namespaces-in-memory.ts';
import { openSession } from '#shared/adapters/cluster/login.ts';
import { openStream } from '#shared/adapters/cluster/stream.ts';
import { openHeard } from '#shared/adapters/database/heard.ts';
import { mirrorOn } from '#shared/adapters/database/mirror.ts';
import { namespacesOn } from '#shared/adapters/database/namespaces.ts';
import { openDatabase } from '#shared/adapters/database/open.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import { namespaces, pods } from '#shared/domain/kind.ts';
import type { Namespaces } from '#shared/ports.ts';
import { keptKinds } from '#shared/runtime/mirrored-ports.ts';
import { pause } from '#shared/runtime/pause.ts';
import { pod } from '#test/contracts/cluster/place.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { until } from '#test/support/until.ts';

const cluster = 'main';
/** Nobody is helped by a heartbeat: it is what is told that is measured. */
const long = 600_000;
const perSecond = 500;

describe('a namespace’s label, changed at the API server', () => {
  let api: FakeCluster;
  let known: Namespaces;
  const closing: (() => unknown)[] = [];

  beforeAll(async () => {
    api = await fakeCluster({ bookmarkMs: 1_000 });
    const { url, drop } = await freshDatabase();
    const { sql, close } = openDatabase(url, { name: 'test', connections: 8 });
    const session = await openSession({ kind: 'kubeconfig-text', text: api.kubeconfig });
    const forwarder = openForwarder({
      ...{ cluster, holder: 'one', pace: usualPace, now: Date.now, random: Math.random, pause },
      stream: openStream({ session }),
      store: storeOn(sql, { cluster, sender: senderOn }),
      tell: () => undefined,
    });
    await forwarder.set(
      followedFrom([{ function: 'look', watch: { of: pods } }], [{ kind: namespaces }]),
    );
    const mirror = mirrorOn(sql, { cluster });
    await until(async () => (await mirror.list(namespaces)).resourceVersion !== '', 20_000);
    const heard = openHeard(sql, {
      ...{ cluster, kinds: keptKinds, beatMs: long, staleMs: long, quietMs: long },
    });
    known = namespacesOn({ mirror, heard, live: namespacesInMemory() });
    closing.push(() => heard.close(), forwarder.stop, session.close, api.close, close, drop);
    await until(() => !heard.isStale(namespaces), 20_000);
  }, 60_000);

  afterAll(async () => {
    for (const close of closing) await close();
  });

  it(`is what an admission sees within a second, while ${perSecond} pods change each second`, async () => {
    const metadata = { name: 'team-a', labels: { turn: 'first' } };
    api.objects.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata });
    const names = Array.from({ length: perSecond }, (_, at) => `pod-${at}`);
    for (const name of names) api.objects.create(pods, pod({ namespace: 'team-a' }, name));
    const ending = new AbortController();
    const changing = changePods(api, names, ending.signal);

    const tookMs: number[] = [];
    for (let turn = 0; turn < 10; turn += 1) {
      await sleep(300);
      const labels = { turn: `turn-${turn}` };
      api.objects.patch(namespaces, { name: 'team-a' }, { metadata: { labels } });
      tookMs.push(
        await until(async () => (await known.find('team-a'))?.labels['turn'] === labels.turn),
      );
    }
    ending.abort();
    expect(await changing).toBeGreaterThan(0.8 * perSecond);
    expect(Math.max(...tookMs)).toBeLessThan(1_000);
  }, 60_000);
});

/** How many a second it came to. */
async function changePods(
  { objects }: FakeCluster,
  names: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const began = performance.now();
  let changed = 0;
  for (let count = 0; !signal.aborted; await sleep(10)) {
    const due = ((performance.now() - began) * perSecond) / 1_000;
    for (; count < due; count += 1) {
      const at = { namespace: 'team-a', name: names[count % names.length] ?? '' };
      objects.patch(pods, at, { metadata: { annotations: { count: String(count) } } });
    }
    changed = count;
  }
  return (changed * 1_000) / (performance.now() - began);
}
