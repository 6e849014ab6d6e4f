import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildBundles, type Source } from '#infra/build/bundles.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { measuresRecorded } from '#infra/emulator/testing/measures-recorded.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import type { ReconcileFunction } from '#shared/define.ts';
import { wire } from '#shared/runtime/wire.ts';
import copyNote from '#test/fixtures/functions/copy-note.ts';
import { freshNamespace } from '#test/real/kube/fresh-namespace.ts';
import type { Shelf } from '#test/support/bundles.ts';
import { writeNote, written } from '#test/support/notes.ts';
import { logRecorded } from '#test/support/running.ts';
import { asCloudEvents, inSqsBatch, inWorker } from '../invocation.ts';

/** Bundles in every shape, before the API server of the kubeconfig at this path. */
export async function invocationContract(
  whose: string,
  path: string,
  sources: readonly Source[] = [],
): Promise<void> {
  const login = { kind: 'kubeconfig', path } as const;
  const cluster = await openCluster({ login });
  // Functions that keep something for the installation keep it where nobody else looks.
  const settings = { installation: { namespace: await freshNamespace(cluster) } };
  const wiring = wire({
    settings: settingsFixed(settings),
    conditions: conditionsRecorded(),
    measures: measuresRecorded(),
    login,
  });
  const home = mkdtempSync(join(tmpdir(), 'invocation-'));
  const shelf: Shelf = {
    directory: home,
    environment: { KUBECONFIG: path, GATEHOUSE_CONFIG: join(home, 'gatehouse.yaml') },
  };

  const inEveryShape = async (definition: ReconcileFunction) => {
    const { name } = definition;
    const running = { ports: wiring.portsOf(definition), log: logRecorded() };
    return [
      inWorker(definition, running),
      inSqsBatch(name, shelf),
      ...(await asCloudEvents(name, shelf)),
    ];
  };

  describe(`a reconcile bundle, before ${whose}`, { timeout: 60_000 }, () => {
    beforeAll(async () => {
      writeFileSync(join(home, 'gatehouse.yaml'), JSON.stringify(settings));
      const fixture = { file: 'test/fixtures/functions/copy-note.ts', definition: copyNote };
      await buildBundles([...sources, fixture], home);
    }, 60_000);
    afterAll(async () => {
      cluster.close();
      await wiring.close();
      rmSync(home, { recursive: true });
    });

    it('tells the same outcome and writes the same in every shape', async () => {
      const namespace = await freshNamespace(cluster);
      const shapes = await inEveryShape(copyNote);
      const results: unknown[] = [];
      for (const [index, shape] of shapes.entries()) {
        const note = await writeNote(cluster, namespace, `note-${index}`);
        const first = await shape.call(note.message);
        const once = await note.find();
        const second = await shape.call(note.message);
        const isStill =
          (await note.find())?.metadata.resourceVersion === once?.metadata.resourceVersion;
        results.push({ first, second, isStill, written: written(once) });
      }
      await Promise.all(shapes.map((shape) => shape.stop()));

      const expected = {
        first: { kind: 'done' },
        second: { kind: 'done' },
        isStill: true,
        written: {
          annotations: { 'samples.gatehouse.io/copied': 'grüß' },
          labels: undefined,
          data: { note: 'grüß' },
        },
      };
      expect(results).toEqual(shapes.map(() => expected));
    });

    const ours = sources
      .map(({ definition }) => definition)
      .filter((definition): definition is ReconcileFunction => definition.shape === 'reconcile');

    it.each(ours)('of $name tells the same outcome in every shape', async (definition) => {
      const { name } = definition;
      const data = { kind: 'period', function: name } as const;
      const call = { id: 'e1', type: 'period.elapsed.v1', data } as const;
      const shapes = await inEveryShape(definition);
      // Whatever it has to make it makes now, so that the shapes find the same; how long it then waits is the clock's.
      await shapes[0]?.call(call);
      const kinds: string[] = [];
      for (const shape of shapes) kinds.push((await shape.call(call)).kind);
      await Promise.all(shapes.map((shape) => shape.stop()));
      const [first] = kinds;
      expect(first).toMatch(/^(done|later)$/);
      expect(kinds).toEqual(shapes.map(() => first));
    });
  });
}
