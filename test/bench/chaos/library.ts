import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { configMaps, type Kind, pods } from '#shared/domain/kind.ts';
import { startInformers } from '../yardsticks/informers.ts';
import type { Rule } from './rules.ts';
import { widgets } from './widgets.ts';
import { type Site, type Stage, siteOn } from './world.ts';

const kinds: readonly Kind[] = [pods, configMaps, widgets];

/** Its handlers are told of everything; there is nothing else to hold them to. */
const rules: Readonly<Record<string, Rule>> = Object.fromEntries(
  kinds.map(({ group, resource }) => [
    `informer-${resource}`,
    { resource: group === '' ? resource : `${resource}.${group}`, asks: () => 'surely' },
  ]),
);

const program = join(import.meta.dirname, '../yardsticks/informer.ts');

/** The informers of @kubernetes/client-node in our place: before the same API server, under the same ledger. */
export async function openLibrary(stage: Stage): Promise<Site & { close(): Promise<void> }> {
  const { waits } = stage;
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-chaos-'));
  const cluster = await fakeCluster({ historySize: 100_000, bookmarkMs: waits.idleMs / 3 });
  const [kubeconfig, runsFile] = [join(directory, 'kubeconfig'), join(directory, 'runs')];
  await writeFile(kubeconfig, cluster.kubeconfig);
  const { close, ...site } = siteOn(cluster, { ...stage, runsFile, rules });
  const informers = await startInformers({
    ...{ program, kubeconfig, file: runsFile, kinds, againMs: waits.momentMs },
  });
  return {
    ...site,
    async close() {
      await informers.stop();
      close();
      await cluster.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
