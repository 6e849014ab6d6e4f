import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { type Loopback, openLoopback } from '#test/contracts/kube-api/loopback.ts';
import { type Player, playerOf } from '#test/contracts/kubectl/playing.ts';
import { oldestKubectl } from './kube/build.ts';
import { startKube } from './kube/start.ts';

const namespace = 'default';
const place = '/openapi/v3/apis/things.example/v1';
const widget = { group: 'things.example', version: 'v1', kind: 'Widget' };
const types = 'x-kubernetes-group-version-kind';
const answers: Readonly<Record<string, unknown>> = {
  '/apis/things.example/v1': {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: 'things.example/v1',
    resources: [
      { name: 'widgets', singularName: 'widget', namespaced: true, kind: 'Widget', verbs: ['get'] },
    ],
  },
  '/openapi/v3': {
    paths: { 'apis/things.example/v1': { serverRelativeURL: `${place}?hash=1` } },
  },
  [place]: {
    openapi: '3.0.0',
    info: { title: 'Things', version: 'v1' },
    paths: { '/apis/things.example/v1/widgets': { get: { [types]: widget } } },
    components: {
      schemas: {
        Widget: {
          type: 'object',
          description: 'Widget is served elsewhere.',
          properties: { size: { type: 'integer', description: 'How large it is.' } },
          [types]: [widget],
        },
      },
    },
  },
};

function registration(port: number): string {
  const service = { name: 'things', namespace, port };
  const items = [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'things' },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    },
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.things.example' },
      spec: {
        ...{ group: 'things.example', version: 'v1', service, insecureSkipTLSVerify: true },
        ...{ groupPriorityMinimum: 100, versionPriority: 100 },
      },
    },
  ];
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

describe.each([
  ['of the server', undefined],
  ['of 1.30', oldestKubectl],
] as const)('kubectl %s', (_, oldest) => {
  const folder = mkdtempSync(join(tmpdir(), 'explain-'));
  let loopback: Loopback;
  let players: readonly Player[];
  const closing: (() => unknown)[] = [];

  beforeAll(async () => {
    loopback = await openLoopback();
    closing.push(loopback.close, () => rmSync(folder, { recursive: true }));
    for (const [path, answer] of Object.entries(answers)) loopback.set(path, { answer });
    const kube = await startKube({});
    closing.push(kube.stop);
    const cluster = await emulatedCluster();
    closing.push(cluster.close);
    const file = join(folder, 'kubeconfig');
    writeFileSync(file, cluster.kubeconfig, { mode: 0o600 });
    const program = oldest?.() ?? kube.kubectl;
    players = [kube.kubeconfig, file].map((kubeconfig) =>
      playerOf({ program, namespace, kubeconfig }),
    );
  });
  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  });

  it('explains a kind of a server behind as it does at the real one', async () => {
    const input = registration(loopback.port);
    const said = await Promise.all(
      players.map(async (play) => {
        expect(await play({ run: 'create -f -', input })).toMatchObject({ code: 0, error: '' });
        return play({ run: 'explain widgets.size', until: 'How large it is.' });
      }),
    );
    expect(said[0]?.out).toContain('How large it is.');
    expect(said[1]).toEqual(said[0]);
  });
});
