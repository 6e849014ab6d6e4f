import { setTimeout as after } from 'node:timers/promises';
import { paths } from '#shared/domain/installation.ts';
import { startKube } from '#test/real/kube/start.ts';
import { atLeast, atMost, type Bench, type Numbers, type Report, say } from './support/bench.ts';
import { alsoStop } from './support/processes.ts';
import { buildCommand } from './support/program.ts';
import { type ApiServer, startApiServer } from './support/rollout/api-server.ts';
import type { Called } from './support/rollout/caller.ts';
import { caBundle, certificates, furnish, namespace, service } from './support/rollout/cluster.ts';
import { type KubeApi, openKubeApi } from './support/rollout/kube-api.ts';
import { type Installation, type Replica, startReplica } from './support/rollout/replica.ts';
import { openFolder, poolMarkers } from './support/subjects.ts';

const serverName = `${service}.${namespace}.svc`;
const path = paths.fusedPods;
const rotationSeconds = 30;

export const bench: Bench = {
  about: 'no review lost while replicas restart in turn and certificates rotate',
  options: { reviews: 100_000, 'per-second': 500 },
  run,
};

async function run(options: Numbers): Promise<Report> {
  const { reviews = 0, 'per-second': perSecond = 500 } = options;
  const kube = await startKube();
  alsoStop(kube.stop);
  const api = openKubeApi(kube);
  await furnish(api);
  const directory = openFolder();
  const command = await buildCommand(directory);
  const place = { command, directory, kubeconfig: kube.kubeconfig };
  say('starting three replicas');
  const replicas = await Promise.all([1, 2, 3].map((count) => startReplica(count, place)));
  const ca = await untilBundled(api);
  const client = startApiServer({ serverName, ca, ports: portsOf(replicas) });

  const ended = new AbortController();
  const going = { isOver: () => ended.signal.aborted };
  const restarting = restartInTurn(replicas, { place, client, ...going });
  const watching = watchRotations(api, { client, ...going });
  const called = await client.callAll({ reviews, perSecond, path, markers: poolMarkers });
  ended.abort();
  return report(called, await restarting, await watching, reviews / perSecond);
}

function portsOf(replicas: readonly Replica[]): readonly number[] {
  return replicas.map(({ port }) => port);
}

async function untilBundled(api: KubeApi): Promise<string> {
  const giveUpAt = performance.now() + 60_000;
  while (performance.now() < giveUpAt) {
    const found = await caBundle(api);
    if (found !== '') return found;
    await after(200);
  }
  throw new Error('nobody wrote the caBundle');
}

type Going = { readonly client: ApiServer; isOver(): boolean };

/** One leaves, and when it is gone its successor comes; when that one is ready the next leaves, and so on. */
async function restartInTurn(
  replicas: Replica[],
  { place, client, isOver }: Going & { readonly place: Installation },
): Promise<number> {
  let restarts = 0;
  while (!isOver()) {
    const slot = restarts % replicas.length;
    const leaving = replicas[slot];
    const staying = () => portsOf(replicas.filter((replica) => replica !== leaving));
    client.hearsLate(() => ({ ports: staying() }));
    await leaving?.stop('SIGTERM');
    const coming = await startReplica(restarts + 4, place);
    replicas[slot] = coming;
    restarts += 1;
    client.knows({ ports: portsOf(replicas) });
  }
  return restarts;
}

type Rotations = { readonly bundles: number; readonly leaves: number; readonly cas: number };

async function watchRotations(api: KubeApi, { client, isOver }: Going): Promise<Rotations> {
  const seen = { bundles: new Set<string>(), leaves: new Set<string>(), cas: new Set<string>() };
  let last = '';
  while (!isOver()) {
    const [ca, stored] = await Promise.all([caBundle(api), certificates(api)]);
    if (ca !== last) client.hearsLate(() => ({ ca }));
    last = ca;
    seen.bundles.add(ca);
    seen.leaves.add(stored.leaf);
    seen.cas.add(stored.ca);
    await after(200);
  }
  return { bundles: seen.bundles.size, leaves: seen.leaves.size, cas: seen.cas.size };
}

function report(called: Called, restarts: number, rotations: Rotations, seconds: number): Report {
  for (const [why, count] of Object.entries(called.reasons)) say(`${count} × ${why}`);
  const { millis } = called;
  const expected = Math.floor(seconds / rotationSeconds / 2);
  return {
    bench: 'rollout',
    figures: {
      reviews: called.reviews,
      p50Millis: millis.p50,
      p99Millis: millis.p99,
      p999Millis: millis.p999,
      maxMillis: millis.max,
      restarts,
      caRotations: rotations.cas - 1,
      leafRotations: rotations.leaves - 1,
      bundlesLearnt: called.bundles,
      connections: called.connections,
    },
    bars: [
      atMost('reviews lost', called.lost, 0),
      atMost('pods unmutated', called.unmutated, 0),
      // Without them the two above would prove nothing.
      atLeast('rotations of the CA', rotations.cas - 1, expected),
      atLeast('rotations of the leaf', rotations.leaves - 1, expected),
    ],
  };
}
