import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { paths } from '#shared/domain/installation.ts';
import { type Client, openClient, openWatches } from './emulator/client.ts';
import { type ApiServer, startOurs, startReal } from './emulator/servers.ts';
import { atLeast, atMost, type Bench, type Numbers, type Report, say } from './support/bench.ts';
import { makeCertificate } from './support/certificate.ts';
import { inTurns } from './support/contest.ts';
import { buildCommand, writeConfig } from './support/program.ts';
import { podReview } from './support/review.ts';
import { freePort, serve } from './support/server.ts';
import { median, ratios, spreadOf } from './support/statistics.ts';
import { nodeFlags, openFolder } from './support/subjects.ts';

export const bench: Bench = {
  about:
    'the emulated cluster beside kube-apiserver and etcd: pods through the fused webhook, a long list, many watchers',
  options: { rounds: 5, created: 400, pods: 50_000, watchers: 1_000, tellings: 12, lanes: 16 },
  run,
};

const sides = ['ours', 'real'] as const;
type Side = (typeof sides)[number];
type Both<T> = Readonly<Record<Side, T>>;

async function run(options: Numbers): Promise<Report> {
  const { rounds = 0, created = 0, pods = 0, watchers = 0, tellings = 0, lanes = 0 } = options;
  const directory = openFolder();
  const servers: Both<ApiServer> = { ours: await startOurs(directory), real: await startReal() };
  const clients: Both<Client> = {
    ours: openClient(servers.ours, lanes),
    real: openClient(servers.real, lanes),
  };
  const webhook = await startWebhook(directory);
  for (const side of sides) await furnish(clients[side], webhook);
  const measured = async (what: string, measure: (side: Side, round: number) => Promise<number>) =>
    inTurns(rounds, sides, async (side, round) => {
      const value = await measure(side, round);
      say(`round ${round + 1}/${rounds} ${what}, ${side}: ${value.toFixed(1)}`);
      return value;
    });
  const rates = await measured('pods a second', (side, round) =>
    createdPerSecond(clients[side], { round, count: created, lanes }),
  );
  for (const side of sides) await fill(clients[side], { count: pods, lanes });
  const lists = await measured('ms of a list', (side) => millisOfList(clients[side]));
  const told = await measured('ms until all watchers know', (side) =>
    millisToTell(servers[side], clients[side], { count: watchers, tellings }),
  );
  const memory = { ours: servers.ours.memory(), real: servers.real.memory() };
  return report({ rates, lists, told, memory });
}

type Webhook = { readonly url: string; readonly ca: string };

/** Four functions in one call, as the bench `fuse` has them. */
async function startWebhook(directory: string): Promise<Webhook> {
  const serverName = 'localhost';
  const { ca } = await makeCertificate(serverName, directory);
  const [port, probePort] = [await freePort(), await freePort()];
  const config = writeConfig(join(directory, 'config.yaml'), {
    capabilities: ['samples'],
    log: { level: 'warn' },
    server: { address: '127.0.0.1', port, probePort },
    certificates: { source: 'files', directory },
  });
  const folder = fileURLToPath(new URL('functions/fused', import.meta.url));
  const args = ['serve', '--role', 'admission', '--config', config, '--functions', folder];
  const node = [...nodeFlags, await buildCommand(directory), ...args];
  await serve({ peer: { port, serverName, ca }, path: '', node });
  return { url: `https://localhost:${port}${paths.fusedPods}`, ca };
}

const inside = '/api/v1/namespaces/bench';

async function furnish({ ask }: Client, { url, ca }: Webhook): Promise<void> {
  for (const name of ['bench', 'quiet']) {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await ask('POST', '/api/v1/namespaces', body);
    // Nobody makes one here, and pods ask for it.
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
    await ask('POST', `/api/v1/namespaces/${name}/serviceaccounts`, account);
  }
  const rule = {
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['pods'],
    operations: ['CREATE'],
  };
  await ask('POST', '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'bench' },
    webhooks: [
      {
        name: 'pods.bench.example',
        clientConfig: { url, caBundle: Buffer.from(ca).toString('base64') },
        rules: [rule],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'bench' } },
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  });
}

function pod(name: string): object {
  const { request } = JSON.parse(podReview()) as {
    readonly request: { readonly object: { readonly metadata: object; readonly spec: object } };
  };
  const { metadata, spec } = request.object;
  // Neither server has the account, or the controller that would make it.
  const {
    serviceAccountName: _,
    serviceAccount: __,
    volumes: ___,
    ...rest
  } = spec as Record<string, unknown>;
  const labels = Reflect.get(metadata, 'labels');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels },
    spec: {
      ...rest,
      automountServiceAccountToken: false,
      containers: unmounted(rest['containers']),
    },
  };
}

function unmounted(containers: unknown): unknown {
  const list = Array.isArray(containers) ? containers : [];
  return list.map(({ volumeMounts: _, ...container }) => container);
}

type Creating = { readonly round?: number; readonly count: number; readonly lanes: number };

async function createdPerSecond(client: Client, { round = 0, count, lanes }: Creating) {
  const began = performance.now();
  await inLanes({ count, lanes }, (at) =>
    client.ask('POST', `${inside}/pods`, pod(`pod-${round}-${at}`)),
  );
  return (count * 1_000) / (performance.now() - began);
}

/** Beside the webhook: what is measured is the list. */
async function fill(client: Client, { count, lanes }: Creating): Promise<void> {
  say(`filling a cluster with ${count} pods`);
  await inLanes({ count, lanes }, (at) =>
    client.ask('POST', '/api/v1/namespaces/quiet/pods', pod(`pod-${at}`)),
  );
}

async function inLanes(
  { count, lanes }: { readonly count: number; readonly lanes: number },
  work: (at: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const at = next;
      next += 1;
      await work(at);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function millisOfList({ ask }: Client): Promise<number> {
  const began = performance.now();
  await ask('GET', '/api/v1/pods');
  return performance.now() - began;
}

let turn = 0;

/** An object that comes and goes: half of the changes to tell are its creations, half its deletions. */
async function millisToTell(server: ApiServer, { ask }: Client, { count, tellings }: Telling) {
  turn += 1;
  const name = `turn-${turn}`;
  const path = `${inside}/configmaps?watch=true&fieldSelector=metadata.name%3D${name}`;
  let seen = 0;
  let onAll = () => {};
  const onEvent = () => {
    seen += 1;
    if (seen % count === 0) onAll();
  };
  const close = await openWatches(server, { path, count, onEvent });
  const took: number[] = [];
  for (let at = 0; at < tellings; at += 1) {
    const { promise: all, resolve } = Promise.withResolvers<void>();
    onAll = resolve;
    const began = performance.now();
    if (at % 2 === 1) await ask('DELETE', `${inside}/configmaps/${name}`);
    else await ask('POST', `${inside}/configmaps`, configMap(name));
    await all;
    took.push(performance.now() - began);
  }
  close();
  return median(took);
}

type Telling = { readonly count: number; readonly tellings: number };

function configMap(name: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
}

type Found = {
  readonly rates: Both<readonly number[]>;
  readonly lists: Both<readonly number[]>;
  readonly told: Both<readonly number[]>;
  readonly memory: Both<number>;
};

function report({ rates, lists, told, memory }: Found): Report {
  const rate = spreadOf(ratios(rates.ours, rates.real));
  const list = spreadOf(ratios(lists.ours, lists.real));
  const tell = spreadOf(ratios(told.ours, told.real));
  return {
    bench: 'emulator',
    figures: {
      podsPerSecond: spreadOf(rates.ours),
      realPodsPerSecond: spreadOf(rates.real),
      listMillis: spreadOf(lists.ours),
      realListMillis: spreadOf(lists.real),
      tellingMillis: spreadOf(told.ours),
      realTellingMillis: spreadOf(told.real),
      mebibytes: memory.ours,
      realMebibytes: memory.real,
    },
    bars: [
      atLeast('pods a second, times the real server', rate.median, 1),
      atMost('a list of all pods, times the real server', list.median, 1),
      atMost('until all watchers know, times the real server', tell.median, 1),
      atMost('memory, times the real server', memory.ours / memory.real, 1),
    ],
  };
}
