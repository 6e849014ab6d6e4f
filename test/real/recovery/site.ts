import {
  deployments,
  namespaces,
  secrets,
  statefulSets,
} from '#infra/emulator/controllers/shapes/kinds.ts';
import type { Pod } from '#infra/emulator/controllers/shapes/pod.ts';
import type { Partly } from '#infra/emulator/testing/settings-fixed.ts';
import { labels } from '#shared/domain/installation.ts';
import type { Settings } from '#shared/domain/settings.ts';
import {
  calledAt,
  type Installed,
  install,
  kubeconfigOf,
  settingsOf,
} from '#test/contracts/end-to-end/installing.ts';
import { namespaceIn, type Place } from '#test/contracts/end-to-end/place.ts';
import { uniqueName } from '#test/contracts/list-watch/place.ts';
import { startGatehouse } from '#test/support/gatehouse-process.ts';
import { freePort } from '../kube/program.ts';
import { openNode, type Start } from './node.ts';
import { openVolume } from './postgres.ts';
import { openService } from './service.ts';

export type Site = Awaited<ReturnType<typeof openSite>>;

const components = ['admission', 'worker', 'forwarder'] as const;

/** An installation as it is rendered, and its database in a namespace of its own: pods of the cluster, with the real programs in them. */
export async function openSite(place: Place, stated: Partly<Settings>) {
  const database = await namespaceIn(place);
  const namespace = uniqueName('gatehouse');
  const volume = await openVolume();
  await keepPostgres(place, database);
  await place.kit.make(namespaces, undefined, namespace, {});
  await place.kit.make(secrets, namespace, 'gatehouse-database', {
    stringData: { url: volume.url },
  });
  const installed = await install(place, {
    namespace,
    settings: { ...stated, installation: { exemptNamespaces: [database] } },
    separate: false,
    database: 'secret',
    capabilities: ['image-trust', 'certificates'],
  });
  // One of each will do: what is told of two is told of admission.
  for (const role of ['worker', 'forwarder']) {
    await place.kit.merge(deployments, namespace, `gatehouse-${role}`, { spec: { replicas: 1 } });
  }
  const gatehouse = startIn(place, installed, volume.url);
  const node = openNode(place, {
    namespaces: [namespace, database],
    programs: {
      postgres: volume.start,
      ...Object.fromEntries(components.map((component) => [component, gatehouse])),
    },
  });
  const port = await freePort();
  const service = await openService(port, () => node.running('admission'));
  await calledAt(place, installed, port);
  return {
    ...{ namespace, database, node, installed },
    async close() {
      service.close();
      await node.stop();
      await volume.remove();
    },
  };
}

/** What a container of such a pod does. */
function startIn(place: Place, installed: Installed, databaseUrl: string): Start {
  const { namespace } = installed;
  return async ({ metadata, spec }: Pod) => {
    const [container] = spec.containers as readonly { readonly args?: readonly string[] }[];
    const { serviceAccountName = '' } = spec as { readonly serviceAccountName?: string };
    const started = await startGatehouse({
      settings: settingsOf(place, installed),
      kubeconfig: await kubeconfigOf(place, { namespace, name: serviceAccountName }),
      args: container?.args?.slice(1) ?? [],
      env: { DATABASE_URL: databaseUrl, POD_NAME: metadata.name, POD_NAMESPACE: namespace },
    });
    return { port: started.port, ended: started.ended, kill: () => started.stop('SIGKILL') };
  };
}

async function keepPostgres({ kit }: Place, namespace: string): Promise<void> {
  const own = { [labels.component]: 'postgres' };
  await kit.make(statefulSets, namespace, 'postgres', {
    spec: {
      serviceName: 'postgres',
      replicas: 1,
      selector: { matchLabels: own },
      template: {
        metadata: { labels: own },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [{ name: 'postgres', image: 'postgres:18' }],
        },
      },
    },
  });
}
