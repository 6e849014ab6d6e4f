import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { Partly } from '#infra/emulator/testing/settings-fixed.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { namespaces } from '#shared/domain/kind.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { openWay } from '#test/bench/chaos/way.ts';
import { reviewOf } from '#test/support/admission.ts';
import { type Started, startGatehouse } from '#test/support/gatehouse-process.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { makeCa, makeLeaf, servername } from '#test/support/tls.ts';
import { freshNamespace } from '../kube/fresh-namespace.ts';
import type { KubeFacts } from '../kube/start.ts';

export type Stage = Awaited<ReturnType<typeof openStage>>;

type Server = Pick<KubeFacts, 'url' | 'kubeconfigToken'>;

/** A forwarder and an admission server, each a process, before an API server; only the forwarder's way can be broken. */
export async function openStage(kube: Server, forwarder: Partly<Settings['forwarder']> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-label-'));
  await writeCertificates(directory);
  const way = await openWay(Number(new URL(kube.url).port));
  const onTheWay = join(directory, 'kubeconfig');
  const text = readFileSync(kube.kubeconfigToken, 'utf8');
  writeFileSync(onTheWay, text.replace(kube.url, `https://127.0.0.1:${way.port}`));
  const cluster = await openCluster({
    login: { kind: 'kubeconfig', path: kube.kubeconfigToken },
  });
  const database = await freshDatabase();
  const settings: Partly<Settings> = {
    capabilities: ['label-change'],
    server: { address: '127.0.0.1', port: 0, probePort: 0, drainSeconds: 0 },
    certificates: { source: 'files', directory },
    forwarder,
  };
  const start = (role: 'forwarder' | 'admission', kubeconfig: string) =>
    startGatehouse({
      ...{ settings, kubeconfig },
      args: ['--role', role, '--functions', join(import.meta.dirname, 'functions')],
      env: { DATABASE_URL: database.url },
    });
  const [forwarding, admission] = await Promise.all([
    start('forwarder', onTheWay),
    start('admission', kube.kubeconfigToken),
  ]);
  const team = await freshNamespace(cluster);
  const told = tellerOf(admission.port, team);
  return {
    cluster,
    way,
    team,
    told,
    /** Until the API server has acknowledged it. */
    async relabel(turn: string) {
      const patch = { type: 'merge', body: { metadata: { labels: { turn } } } } as const;
      await cluster.patch({ kind: namespaces, name: team }, patch);
    },
    /** Whether the admission server asks the API server, instead of answering from its memory. */
    isStale: async () =>
      (await metricsOf(admission)).includes('gatehouse_mirror_stale{resource="namespaces"} 1'),
    /** Those that the forwarder has taken over by now. */
    async changesOfPods() {
      const found = changes.exec(await metricsOf(forwarding));
      return Number(found?.[1] ?? 0);
    },
    async close() {
      told.close();
      way.mend();
      await Promise.all([forwarding.stop('SIGKILL'), admission.stop('SIGKILL')]);
      way.close();
      cluster.close();
      await database.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const changes = /^gatehouse_forwarder_events_total{scope="pods",change="modified"} (\d+)$/m;

async function metricsOf({ probePort }: Started): Promise<string> {
  return (await fetch(`http://127.0.0.1:${probePort}/metrics`)).text();
}

async function writeCertificates(directory: string): Promise<void> {
  const ca = await makeCa();
  const leaf = await makeLeaf(ca, servername);
  const files = { 'tls.crt': leaf.certificate, 'tls.key': leaf.key, 'ca.crt': ca.certificate };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
}

/** What an admission by HTTPS knows of the namespace's label. */
function tellerOf(port: number, namespace: string) {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'any', namespace } };
  const body = JSON.stringify(reviewOf({ object, namespace, resource: 'configmaps' }));
  const ask = (): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const options = { method: 'POST', agent, headers: { 'content-type': 'application/json' } };
    const asked = request(`https://127.0.0.1:${port}/validate/tell-label`, options, (answer) => {
      answer.setEncoding('utf8');
      let text = '';
      answer.on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () => resolve(text)).on('error', reject);
    });
    asked.on('error', reject).end(body);
    return promise;
  };
  return Object.assign(async () => /"turn ([^"]+)"/.exec(await ask())?.[1] ?? 'no answer', {
    close: () => agent.destroy(),
  });
}

/** From now on, in milliseconds, until an admission shows it. */
export async function untilTold({ told }: Stage, turn: string, withinMs: number): Promise<number> {
  const from = performance.now();
  while ((await told()) !== turn) {
    if (performance.now() - from > withinMs) throw new Error(`${turn} was never told`);
    await after(5);
  }
  return performance.now() - from;
}
