import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keepIn } from '#infra/emulator/cluster/state/keeping.ts';
import { openStore } from '#infra/emulator/cluster/store/store.ts';

function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-log-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function maps(store: ReturnType<typeof openStore>) {
  const of = store.collections.get('configmaps');
  if (of === undefined) throw new Error('no ConfigMaps');
  return of;
}

const object = (name: string, value: string) => ({
  metadata: { name, namespace: 'default', uid: `uid-${name}` },
  data: { value },
});

describe('the log of a cluster', () => {
  it('is written anew when it has grown, and what comes meanwhile is in it', async () => {
    const directory = folder();
    const store = openStore({ historySize: 10 });
    const kept = await keepIn(store, { directory, log: () => {}, compactBytes: 20_000 });
    const size = () => statSync(join(directory, 'state.log')).size;
    let stored = store.create(maps(store), object('a', ''));
    let [round, last] = [0, 0];
    await expect
      .poll(
        () => {
          last = Math.max(last, size());
          for (let more = 0; more < 50; more += 1) {
            round += 1;
            stored = store.update(maps(store), stored, object('a', `${round} ${'x'.repeat(99)}`));
          }
          return size() < last;
        },
        { interval: 1, timeout: 20_000 },
      )
      .toBe(true);
    await kept.close();

    const again = openStore({ historySize: 10 });
    const next = await keepIn(again, { directory, log: () => {} });
    await next.close();
    expect(again.revision()).toBe(store.revision());
    expect(maps(again).find('default/a')).toEqual(maps(store).find('default/a'));
  });

  it('keeps objects of kinds that nobody serves at the moment', async () => {
    const directory = folder();
    const thing = {
      group: 'x.io',
      resource: 'things',
      kind: 'Thing',
      namespaced: true,
      versions: ['v1'] as const,
      isCustom: true,
    };
    const store = openStore({ historySize: 10 });
    const kept = await keepIn(store, { directory, log: () => {} });
    store.create(store.serve({ ...thing, versions: ['v1'] }), object('t', '1'));
    await kept.close();

    const without = openStore({ historySize: 10 });
    const middle = await keepIn(without, { directory, log: () => {}, compactBytes: 1 });
    store.create(maps(without), object('a', '1'));
    await middle.close();
    expect(readFileSync(join(directory, 'state.log'), 'utf8')).toContain('things.x.io');
  });
});
