import { afterEach, describe, expect, it } from 'vitest';
import { fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { done } from '#shared/domain/outcome.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { proxyTo } from '#test/support/proxy-to.ts';
import { reconcileBy } from '#test/support/running.ts';
import { type Inside, serveInside } from '#test/support/serving.ts';
import { eventually } from '#test/support/working.ts';

const endings: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** In production it is five minutes. */
const patience = { patienceMs: 500, tickMs: 50 };

async function forwarder(inside: Inside) {
  const serving = await serveInside({ ...inside, role: 'forwarder', patience });
  endings.push(() => serving.stop());
  const health = async () => {
    const answer = await fetch(`http://127.0.0.1:${serving.probePort}/healthz`);
    return { code: answer.status, text: await answer.text() };
  };
  return { ...serving, health };
}

const well = { code: 200, text: 'ok\n' };

describe('a process of which a loop stands still', () => {
  it('is not well until that one goes on, and says which it is', async () => {
    const way = await proxyTo((await freshDatabase()).url);
    endings.push(way.close);
    const { health, readiness, log } = await forwarder({ databaseUrl: way.url });
    expect(await health()).toEqual(well);
    way.freeze();
    const still = { code: 503, text: 'stands still: schedule\n' };
    await eventually(async () => expect(await health()).toEqual(still));
    expect(await readiness()).toMatchObject({
      degraded: expect.arrayContaining(['progress: nothing comes of schedule any more']),
    });
    const fields = { condition: 'progress', why: 'nothing comes of schedule any more' };
    expect(log.lines).toContainEqual(expect.objectContaining({ level: 'error', fields }));
    way.cut();
    way.mend();
    await eventually(async () => expect(await health()).toEqual(well));
  }, 30_000);

  it('is not well for a kind of which the API server says nothing at all, and no other', async () => {
    const cluster = await fakeCluster({ bookmarkMs: 50 });
    const way = await proxyTo(cluster.url);
    endings.push(cluster.close, way.close);
    const { origin } = new URL(way.url);
    const { health, readiness } = await forwarder({
      databaseUrl: (await freshDatabase()).url,
      functions: [reconcileBy(async () => done)],
      settings: {
        capabilities: ['samples'],
        forwarder: { idleMs: 300, restoredMs: 100, firstBackoffMs: 20 },
      },
      login: { kind: 'kubeconfig-text', text: cluster.kubeconfig.replace(cluster.url, origin) },
    });
    await eventually(async () => expect(await readiness()).toMatchObject({ code: 200 }));
    expect(await health()).toEqual(well);
    const off = cluster.faults.silence();
    cluster.faults.halfOpen();
    const still = { code: 503, text: 'stands still: forwarder of configmaps\n' };
    await eventually(async () => expect(await health()).toEqual(still));
    off();
    // What is not answered is waited for up to half a minute.
    way.cut();
    way.mend();
    await eventually(async () => expect(await health()).toEqual(well));
  }, 60_000);
});
