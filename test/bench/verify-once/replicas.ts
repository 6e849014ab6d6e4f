import { join } from 'node:path';
import { youngHeapOfLargePods } from '#infra/deploy/pod.ts';
import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { namespaces } from '#shared/domain/kind.ts';
import { until } from '#test/support/until.ts';
import { as, makeMigrated, openServer } from '../queue/database.ts';
import { alsoStop, start } from '../support/processes.ts';
import { buildCommand, writeConfig } from '../support/program.ts';
import { freePort, type Served, serve } from '../support/server.ts';
import type { Workshop } from '../support/subjects.ts';

/** Of the reviews. */
export const namespace = 'shop';

/** Admission servers as they are published, on one Postgres, before one cluster. */
export async function startReplicas(
  count: number,
  { directory, certificate }: Workshop,
  publisher: string,
): Promise<readonly Served[]> {
  const command = await buildCommand(directory);
  const DATABASE_URL = await makeMigrated(await openServer(), 'verdicts');
  const KUBECONFIG = await startCluster(directory);
  const env = { DATABASE_URL, KUBECONFIG };
  const started: Served[] = [];
  for (let at = 0; at < count; at += 1) {
    const [port, probePort] = [await freePort(), await freePort()];
    const server = { address: '127.0.0.1', port, probePort };
    const config = configAt(join(directory, `replica-${at}.yaml`), {
      server,
      directory,
      publisher,
    });
    const node = [
      `--${youngHeapOfLargePods}`,
      command,
      'serve',
      '--role',
      'admission',
      '--config',
      config,
    ];
    const { serverName, ca } = certificate;
    started.push(await serve({ peer: { port, serverName, ca }, path: '', node, env }));
  }
  await startForwarder({ command, directory, publisher, env });
  return started;
}

type Stated = {
  readonly server: object;
  readonly directory: string;
  readonly publisher: string;
};

function configAt(file: string, { server, directory, publisher }: Stated): string {
  return writeConfig(file, {
    capabilities: ['image-trust'],
    log: { level: 'warn' },
    server,
    certificates: { source: 'files', directory },
    imageTrust: {
      notary: { URL: `http://${publisher}` },
      hosts: [{ host: publisher, plainHttp: true, addresses: ['127.0.0.0/8'] }],
    },
  });
}

type Forwarding = Omit<Stated, 'server'> & {
  readonly command: string;
  readonly env: { readonly DATABASE_URL: string; readonly KUBECONFIG: string };
};

/** As in a cluster: what a namespace is labelled with comes from the mirror, not from the API server for each review. */
async function startForwarder({ command, env, ...stated }: Forwarding): Promise<void> {
  const [port, probePort] = [await freePort(), await freePort()];
  const server = { address: '127.0.0.1', port, probePort };
  const config = configAt(join(stated.directory, 'forwarder.yaml'), { ...stated, server });
  const args = ['serve', '--role', 'forwarder', '--config', config];
  start({ core: 'servers', command: [process.execPath, command, ...args], env });
  const isMirrored = () =>
    as(env.DATABASE_URL, (sql) => sql`select 1 from objects where name = ${namespace}`);
  await until(async () => (await isMirrored()).length > 0, 30_000);
}

async function startCluster(directory: string): Promise<string> {
  const emulated = await emulatedCluster();
  alsoStop(() => emulated.close());
  const cluster = await openCluster({
    login: { kind: 'kubeconfig-text', text: emulated.kubeconfig },
  });
  const labels = { 'namespaces.warden.kyma-project.io/validate': 'enabled' };
  const metadata = { name: namespace, labels };
  await cluster.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata });
  cluster.close();
  return writeConfig(join(directory, 'kubeconfig'), {}, () => emulated.kubeconfig);
}
