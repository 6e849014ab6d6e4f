import { afterAll, describe, expect, it } from 'vitest';
import { type EmulatedCluster, emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { type Controllers, openControllers } from '#infra/emulator/controllers/open-controllers.ts';
import { logRecorded } from '#test/support/running.ts';
import {
  differencesIn,
  idleIn,
  knownCases,
  listedDifferences,
  metOnBoth,
  namesOf,
} from './kube-api/differences.ts';
import type { Place } from './kube-api/place.ts';
import { controlledContract, kubeApiContract } from './kube-api.ts';

const opened: EmulatedCluster[] = [];
const controllers: Controllers[] = [];
afterAll(async () => {
  for (const each of controllers) each.close();
  for (const cluster of opened) await cluster.close();
});

async function emulated(): Promise<EmulatedCluster> {
  const cluster = await emulatedCluster({ bookmarkMs: 100 });
  opened.push(cluster);
  return cluster;
}

async function controlled(): Promise<EmulatedCluster> {
  const cluster = await emulated();
  const login = { kind: 'kubeconfig-text', text: cluster.kubeconfig } as const;
  controllers.push(await openControllers({ login, log: logRecorded() }));
  return cluster;
}

function placeOf(cluster: EmulatedCluster): Place {
  const { users } = JSON.parse(cluster.tokenKubeconfig);
  return { url: cluster.url, ca: cluster.ca, token: users[0].user.token, patienceMs: 12_000 };
}

const differs = namesOf(listedDifferences());
kubeApiContract({
  name: 'an emulated cluster',
  open: async () => placeOf(await emulated()),
  differs,
});
controlledContract({
  name: 'an emulated cluster with its controllers',
  open: async () => placeOf(await controlled()),
  differs,
});

describe('the page of differences', () => {
  const page = (row: string) =>
    idleIn(differencesIn(`| Chapter | Case | Why |\n|---|---|---|\n${row}`), known);
  const known = knownCases();
  const real = '| create | refuses a second object of the same name | it cannot |';

  it('names cases that there are, each with a reason', () => {
    expect(idleIn(listedDifferences(), known)).toEqual([]);
  });

  it('names whatever random requests and stories are known to meet', () => {
    expect(metOnBoth().filter((name) => !differs.has(name))).toEqual([]);
  });

  it.each([
    ['a case that is none', '| create | is no case | because |'],
    ['a row without a reason', '| create | refuses a second object of the same name | |'],
    ['a case twice', `${real}\n${real}`],
  ])('may not hold %s', (_, row) => {
    expect(page(row)).toHaveLength(1);
  });

  it('may hold a case that there is', () => {
    expect(page(real)).toEqual([]);
  });
});
