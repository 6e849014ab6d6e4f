import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { type Asked, openThere } from '#infra/cli/dev/against.ts';
import { painter, sayError, type World } from '#infra/cli/output.ts';
import { type EmulatedCluster, emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { type OpenCluster, openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { mutatingWebhooks, namespaces } from '#shared/domain/kind.ts';
import { openConfig } from '#shared/runtime/config/source.ts';
import { readEnvironment } from '#shared/runtime/config.ts';

const ours = 'gatehouse-system';
let directory: string;
let emulated: EmulatedCluster;
let cluster: OpenCluster;
let said: string[];
let stop: AbortController;
let hasFailed = false;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gatehouse-there-'));
  emulated = await emulatedCluster();
  writeFileSync(join(directory, 'kubeconfig'), emulated.kubeconfig);
  cluster = await openCluster({
    login: { kind: 'kubeconfig', path: join(directory, 'kubeconfig') },
  });
  said = [];
  hasFailed = false;
  stop = new AbortController();
});

afterEach(async () => {
  cluster.close();
  await emulated.close();
  rmSync(directory, { recursive: true, force: true });
});

const world: World = {
  terminal: {
    print: (text) => void said.push(text),
    complain: (text) => void said.push(text),
    read: async () => '',
    paint: painter(false),
  },
  environment: readEnvironment({}),
  fail: () => {
    hasFailed = true;
  },
};

/** As the verb does it, up to where it is ready, or ends before. */
function there(asked: Partial<Asked> = {}) {
  const config = openConfig({ file: undefined, onChange: () => {} });
  if (!config.ok) throw new Error('no configuration');
  const say = (text: string) => void said.push(`${text}\n`);
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  return openThere(
    { against: join(directory, 'kubeconfig'), yes: true, clean: false, ...asked },
    world,
    {
      ...{ config: config.source, stateFolder: join(directory, 'state'), log, say },
      folders: { builtIn: [], own: undefined },
      ...{ onlooker: () => {}, onReloaded: () => {}, told: () => stop.signal },
    },
  );
}

it('says for which namespace it waits that is terminating, and ends at once when it is told', async () => {
  // Nobody here brings a namespace to its end.
  await cluster.create(namespaces, {
    ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ours } },
  });
  await cluster.delete({ kind: namespaces, name: ours });
  const ended = there();
  const line = `waiting for namespace ${ours}, which is terminating\n`;
  // A Postgres is made meanwhile.
  await vi.waitFor(() => expect(said).toContain(line), { interval: 20, timeout: 20_000 });
  const toldAt = performance.now();
  stop.abort(new Error('told to stop'));
  expect(await ended).toBeUndefined();
  expect(performance.now() - toldAt).toBeLessThan(5_000);
}, 30_000);

it('says all that it makes before it makes it, and what of it went at the end', async () => {
  const running = await there({ webhookHost: '127.0.0.1' });
  const warned = said.join('').match(/it makes (.*), all labelled gatehouse\.io\/dev/)?.[1] ?? '';
  await running?.stop();
  const gone = said
    .flatMap((line) => /^removed there: (.*)\n$/.exec(line)?.[1]?.split(', ') ?? [])
    .map((name) => name.split(' ')[0] ?? '');
  const counts = [...Map.groupBy(gone, (kind) => kind)].map(
    ([kind, { length }]) => `${length} ${kind}${length === 1 ? '' : 's'}`,
  );
  expect(counts.length).toBeGreaterThan(5);
  // Roles of namespaces that are not there are left out.
  expect(warned.split(', ').filter((each) => !each.includes('Role'))).toEqual(
    expect.arrayContaining(counts.filter((each) => !each.includes('Role'))),
  );
  expect(said.join('')).toContain(`Namespace ${ours}`);
}, 60_000);

const hook = (name: string, mark: string) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name, labels: { 'gatehouse.io/dev': mark } },
});

it('refuses a port that is in use before it makes anything', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const webhookHost = `127.0.0.1:${Object(taken.address()).port}`;
  const refused = await there({ webhookHost }).catch((cause: unknown) => cause);
  expect(sayError(refused, { debug: false })).toMatch(
    /port (\d+) cannot be listened on\n {2}where: 127\.0\.0\.1:\1, for --webhook-host 127\.0\.0\.1:\1\n {2}because: .*EADDRINUSE/,
  );
  expect(await cluster.find({ kind: namespaces, name: ours })).toBeUndefined();
}, 30_000);

it('says whose it is what a clean finds of another folder, and how to remove it', async () => {
  await cluster.create(mutatingWebhooks, hook('gatehouse', 'theirs'));
  await there({ clean: true });
  expect(hasFailed).toBe(true);
  const text = said.join('');
  expect(text).toContain('another dev: MutatingWebhookConfiguration gatehouse\n');
  expect(text).toContain(
    'delete mutatingwebhookconfigurations.admissionregistration.k8s.io --all-namespaces -l gatehouse.io/dev=theirs',
  );
  expect(await cluster.find({ kind: mutatingWebhooks, name: 'gatehouse' })).toBeDefined();
}, 30_000);

it('has nothing to say of a cluster in which nobody left anything', async () => {
  await there({ clean: true });
  expect([hasFailed, said.join('')]).toEqual([false, 'nothing of ours is there\n']);
}, 30_000);
