import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { forwarderHeap, oneArena, workerHeap } from '#infra/deploy/pod.ts';
import type { FakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { countedBy } from '../chaos/counted.ts';
import { as } from '../chaos/database.ts';
import { type Served, serve } from '../chaos/processes.ts';
import { bundleFunctions } from './functions.ts';

export type Place = {
  readonly directory: string;
  readonly program: string;
  readonly cluster: FakeCluster;
  readonly databaseUrl: string;
  readonly runsFile: string;
};

/** The forwarder and the worker as they are published, with the flag that a Deployment sets. */
export type Ours = {
  readonly forwarder: Served;
  readonly worker: Served;
  /** The forwarder again, from where it was. */
  auditEvery(ms: number): Promise<Ours>;
  stop(): Promise<void>;
};

export async function startOurs(place: Place, auditMs: number): Promise<Ours> {
  const { directory, program, cluster, databaseUrl, runsFile } = place;
  const settings = (every: number) => ({
    forwarder: { auditMs: every },
    capabilities: ['bench'],
    server: { address: '127.0.0.1', port: 0, probePort: 0 },
    // Mounted ones: nobody writes a Secret, or looks for replicas, among what is counted.
    certificates: { source: 'files', directory },
  });
  await writeFile(join(directory, 'kubeconfig'), cluster.kubeconfig);
  const functions = await bundleFunctions(directory);
  const env = { DATABASE_URL: databaseUrl, BENCH_RUNS: runsFile, GATEHOUSE_CONFIG: '' };
  const given = { directory, functions, program };
  const forward = async (every: number) => {
    await writeFile(join(directory, 'config.yaml'), JSON.stringify(settings(every)));
    return serve({
      ...{ ...given, role: 'forwarder', name: 'forwarder' },
      env: { ...env, [oneArena.name]: oneArena.value },
      node: smallHeap,
    });
  };
  const first = await forward(auditMs);
  const worker = await serve({
    ...{ ...given, role: 'worker', name: 'worker', env },
    node: [`--${workerHeap}`],
  });
  const oursWith = (forwarder: Served): Ours => ({
    forwarder,
    worker,
    async auditEvery(ms) {
      await forwarder.stop();
      return oursWith(await forward(ms));
    },
    stop: async () => void (await Promise.all([forwarder.stop(), worker.stop()])),
  });
  return oursWith(first);
}

/** Until it has carried so many through. */
export async function untilAudited(forwarder: Served, count: number): Promise<void> {
  const deadline = performance.now() + 120_000;
  while ((await countedBy(forwarder)).audits < count) {
    if (performance.now() > deadline) throw new Error('its audits are not carried through');
    await after(250);
  }
}

/** As it is deployed. */
const smallHeap = Object.values(forwarderHeap).map((flag) => `--${flag}`);

/** Until the mirror has them all, and nobody has anything left to do. */
export async function untilMirrored(url: string, count: number): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (!(await isMirrored(url, count))) {
    if (performance.now() > deadline) throw new Error('not all is mirrored and run');
    await after(250);
  }
}

async function isMirrored(url: string, count: number): Promise<boolean> {
  const [found] = await as(
    url,
    (sql) => sql<{ rows: number; waiting: number }[]>`
      select (select count(*)::int from objects) as rows,
        (select count(*)::int from queue_messages) as waiting`,
  );
  return (found?.rows ?? 0) >= count && found?.waiting === 0;
}

/** Whole lists that it has begun, streamed ones as well. */
export async function listsOf({ probePort }: Served): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${probePort}/metrics`);
  const text = await answer.text();
  const counted = text.matchAll(/^gatehouse_forwarder_lists_total\{.*\} (\d+)$/gm);
  return [...counted].reduce((sum, [, count]) => sum + Number(count), 0);
}
