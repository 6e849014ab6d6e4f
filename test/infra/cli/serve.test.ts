import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addServe } from '#infra/cli/serve.ts';
import { registered } from '#infra/emulator/world/registered.ts';
import { defineReconcile } from '#shared/define.ts';
import { done } from '#shared/domain/outcome.ts';
import { callVerb } from '#test/support/verb.ts';

const nobody = registered([]);
const named = (name: string) =>
  defineReconcile({
    ...{ name, capability: 'samples', trigger: { everySeconds: 60 }, uses: [], deadlineMs: 1_000 },
    handler: () => done,
  });
const colliding = registered([named('sweep'), named('sweep-dead')]);
const inCluster = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };

function serveWith(
  argv: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  registry = nobody,
) {
  return callVerb(
    (program, world) => addServe(program, world, async () => registry),
    ['serve', ...argv],
    { variables },
  );
}

describe('gatehouse serve', () => {
  it.each([
    ['a worker', ['--role', 'worker'], {}],
    ['a forwarder', ['--role', 'forwarder'], {}],
    ['a worker in a pod', ['--role', 'worker'], inCluster],
    ['everything in a pod', ['--role', 'all'], inCluster],
    ['everything in a pod, unsaid', [], inCluster],
  ])('refuses to be %s without a database', async (_, argv, variables) => {
    const { exit, err } = await serveWith(argv, variables);
    expect(exit).toBe(1);
    expect(err).toContain('there is no database for');
    expect(err).toContain('set DATABASE_URL to a Postgres 15 or newer');
  });

  it.each([
    ['no address', 'localhost:5432', 'DATABASE_URL is no address'],
    ['an address without a user', 'postgres://localhost/x', 'DATABASE_URL names no user'],
  ])('refuses %s for a database', async (_, DATABASE_URL, expected) => {
    const { exit, err } = await serveWith(['--role', 'admission'], { DATABASE_URL });
    expect([exit, err]).toEqual([1, expect.stringContaining(expected)]);
  });

  it('refuses a queue that there is not', async () => {
    const variables = { DATABASE_URL: 'postgres://u@localhost/x', QUEUE: 'sqss' };
    const { exit, err } = await serveWith(['--role', 'worker'], variables);
    expect([exit, err]).toEqual([1, expect.stringContaining('there is no such queue')]);
  });

  it.each([
    ['worker', 'what sweep buries would wake sweep-dead'],
    ['forwarder', 'what sweep buries would wake sweep-dead'],
    // It has no queue: what it lacks here is a cluster.
    ['admission', 'there is no cluster to serve'],
  ])(
    'refuses functions of which one would have the other’s dead letters for its queue: %s',
    async (role, expected) => {
      const variables = { DATABASE_URL: 'postgres://u@localhost/x', QUEUE: 'sqs' };
      const { exit, err } = await serveWith(['--role', role], variables, colliding);
      expect([exit, err]).toEqual([1, expect.stringContaining(expected)]);
    },
  );

  it.each([['admission'], ['worker'], ['forwarder']])(
    'refuses to be a role without a cluster: %s',
    async (role) => {
      const variables = { DATABASE_URL: 'postgres://u@localhost/x' };
      const { exit, err } = await serveWith(['--role', role], variables);
      expect([exit, err]).toEqual([1, expect.stringContaining('there is no cluster to serve')]);
      // It is refused with such certificates, too.
      expect(err.includes('certificates.source: files')).toBe(role !== 'forwarder');
    },
  );

  it.each([
    ['that is missing', undefined],
    ['that is empty', ''],
    [
      'without a current context',
      '{"clusters":[{"name":"c","cluster":{"server":"https://h"}}],"users":[],"contexts":[]}',
    ],
  ])('refuses a kubeconfig %s before it takes a message', async (_, text) => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-serve-'));
    const path = join(folder, 'config');
    if (text !== undefined) writeFileSync(path, text);
    const variables = { DATABASE_URL: 'postgres://u@127.0.0.1:1/x', KUBECONFIG: path };
    const { exit, err } = await serveWith(['--role', 'worker'], variables);
    rmSync(folder, { recursive: true });
    expect([exit, err]).toEqual([1, expect.stringContaining('the kubeconfig cannot be used')]);
    expect(err).toContain(path);
  });

  it('says which setting names a port that is in use, as beside another role', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-serve-'));
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(async () => {
      rmSync(folder, { recursive: true });
      await new Promise((resolve) => taken.close(resolve));
    });
    await once(taken, 'listening');
    const probePort = (taken.address() as AddressInfo).port;
    const settings = {
      server: { address: '127.0.0.1', probePort },
      certificates: { source: 'files' },
    };
    const GATEHOUSE_CONFIG = join(folder, 'gatehouse.yaml');
    writeFileSync(GATEHOUSE_CONFIG, JSON.stringify(settings));
    const variables = { DATABASE_URL: 'postgres://u@127.0.0.1:1/x', GATEHOUSE_CONFIG };
    const { exit, err } = await serveWith(['--role', 'worker'], variables);
    expect([exit, err]).toEqual([
      1,
      expect.stringContaining(`port ${probePort} cannot be listened on`),
    ]);
    expect(err).toContain('set server.probePort in the configuration to another port');
  });

  it('knows no other role', async () => {
    const { exit, err } = await serveWith(['--role', 'endpoints']);
    expect([exit, err]).toEqual([2, expect.stringContaining('forwarder, worker, admission, all')]);
  });
});
