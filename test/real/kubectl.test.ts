import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import type { ControllerName } from '#infra/emulator/controllers/frame/controller.ts';
import { openControllers } from '#infra/emulator/controllers/open-controllers.ts';
import { listedDifferences, namesOf } from '#test/contracts/kube-api/differences.ts';
import { type Player, playerOf, script } from '#test/contracts/kubectl/playing.ts';
import { logRecorded } from '#test/support/running.ts';
import { oldestKubectl } from './kube/build.ts';
import { startKube } from './kube/start.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubectl-'));
const namespace = 'played';
const differs = namesOf(listedDifferences());
afterAll(() => rmSync(folder, { recursive: true }));

type Pair = { readonly real: Player; readonly ours: Player; close(): Promise<void> };

async function plainPair(program: string | undefined): Promise<Pair> {
  const kube = await startKube({ serviceAccounts: true });
  const cluster = await emulatedCluster();
  const pair = playersOf({ ...kube, ...(program && { kubectl: program }) }, cluster.kubeconfig);
  // The account that a controller would make.
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  const input = JSON.stringify({ ...account, automountServiceAccountToken: false });
  await furnished(pair, { run: 'create -f -', input });
  return {
    ...pair,
    async close() {
      await cluster.close();
      await kube.stop();
    },
  };
}

/** All but scheduler and kubelet, which the real one lacks. */
const managed: readonly ControllerName[] = [
  ...(['namespaces', 'garbage', 'accounts', 'endpoints', 'disruption', 'cluster-roles'] as const),
  ...([
    'account-tokens',
    'endpoint-mirror',
    'volume-protection',
    'replication-controllers',
  ] as const),
  ...([
    'deployments',
    'replica-sets',
    'stateful-sets',
    'daemon-sets',
    'jobs',
    'cron-jobs',
  ] as const),
];

async function controlledPair(program: string | undefined): Promise<Pair> {
  const kube = await startKube({ controllerManager: true });
  const cluster = await emulatedCluster();
  const login = { kind: 'kubeconfig-text', text: cluster.kubeconfig } as const;
  const controllers = await openControllers({ login, log: logRecorded(), only: managed });
  const pair = playersOf({ ...kube, ...(program && { kubectl: program }) }, cluster.kubeconfig);
  await furnished(pair, { run: 'get serviceaccounts -o name', until: 'default' });
  return {
    ...pair,
    async close() {
      controllers.close();
      await cluster.close();
      await kube.stop();
    },
  };
}

type Kube = { readonly kubectl: string; readonly kubeconfig: string };

function playersOf({ kubectl: program, kubeconfig }: Kube, text: string) {
  const file = join(mkdtempSync(join(folder, 'emulated-')), 'kubeconfig');
  writeFileSync(file, text, { mode: 0o600 });
  return {
    real: playerOf({ program, namespace, kubeconfig }),
    ours: playerOf({ program, namespace, kubeconfig: file }),
  };
}

async function furnished({ real, ours }: Omit<Pair, 'close'>, last: Parameters<Player>[0]) {
  for (const command of [{ run: `create namespace ${namespace}` }, last]) {
    for (const play of [real, ours]) {
      const { code, error } = await play(command);
      if (code !== 0) throw new Error(error);
    }
  }
}

const chapters = [
  { chapter: 'kubectl', name: 'plain', open: plainPair },
  { chapter: 'kubectl with controllers', name: 'controlled', open: controlledPair },
] as const;
const versions = [
  { version: 'of the server', program: () => undefined },
  { version: 'of 1.30', program: oldestKubectl },
] as const;
const all = versions.flatMap((each) => chapters.map((one) => ({ ...each, ...one })));

describe.each(all)('$chapter, $version', ({ chapter, name, open, program }) => {
  let pair: Pair;
  beforeAll(async () => {
    pair = await open(program());
  });
  afterAll(() => pair.close());

  it.each(script(name))('%s', async (title, command) => {
    const [expected, found] = await Promise.all([pair.real(command), pair.ours(command)]);
    if (!differs.has(`${chapter}: ${title}`)) return expect(found).toEqual(expected);
    expect(found, 'it is the same now: take it off the list').not.toEqual(expected);
  });
});

it('is played with the oldest version that is promised', async () => {
  const play = playerOf({ program: oldestKubectl(), namespace, kubeconfig: '/dev/null' });
  expect((await play({ run: 'version --client' })).out).toContain('v1.30.');
});
