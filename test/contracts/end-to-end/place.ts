import { randomBytes } from 'node:crypto';
import type { ResolveImage } from '#infra/emulator/controllers/kubelet/options.ts';
import { type Controllers, openControllers } from '#infra/emulator/controllers/open-controllers.ts';
import { namespaces, serviceAccounts } from '#infra/emulator/controllers/shapes/kinds.ts';
import { type Installer, openInstaller } from '#infra/emulator/dev/install.ts';
import type { Login } from '#shared/adapters/cluster/login.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster } from '#shared/ports.ts';
import { openLog } from '#shared/runtime/log.ts';
import { type Kit, kitFor } from '#test/infra/emulator/controllers/kit.ts';

/** An API server, real or emulated, with controllers, a scheduler and kubelets: what is created runs. */
export type Place = {
  /** The path of an admin's. */
  readonly kubeconfig: string;
  readonly login: Login;
  readonly server: Server;
  /** As the admin. */
  readonly cluster: Cluster;
  readonly controllers: Controllers;
  readonly installer: Installer;
  readonly kit: Kit;
  /** How long certificates wait for the API server to learn of another bundle. */
  readonly settle: string;
  close(): void;
};

export type Server = {
  /** Of an admin's kubeconfig. */
  readonly kubeconfig: string;
  readonly url: string;
  readonly ca: string;
  readonly settle?: string;
  /** More than the two workers, for whoever runs many pods. */
  readonly nodes?: readonly string[];
  /** How kubelets pull; without it, they have every image. */
  readonly resolveImage?: ResolveImage;
};

/** Neither is of a pool, until a test says so. */
export const workers = { pool: 'end-1', plain: 'end-2' } as const;

export async function openPlace(server: Server): Promise<Place> {
  const { kubeconfig, settle = '1s', nodes = [], resolveImage } = server;
  const login = { kind: 'kubeconfig', path: kubeconfig } as const;
  const controllers = await openControllers({
    login,
    log: openLog({ level: 'error' }),
    kubelet: {
      nodes: [...Object.values(workers), ...nodes].map((name) => ({ name })),
      timings: { createMs: 2, jobMs: 5, backoffMs: 5, graceMs: 2 },
      ...(resolveImage && { resolveImage }),
    },
  });
  const installer = await openInstaller(login);
  const { cluster } = installer;
  return {
    ...{ kubeconfig, login, server, cluster, controllers, installer, settle },
    kit: kitFor({ cluster, controllers, login }),
    close() {
      installer.close();
      controllers.close();
    },
  };
}

export const managed = { 'operator.kyma-project.io/managed-by': 'kyma' };

/** Of nobody else; pods are admitted there. */
export async function namespaceIn({ kit }: Place, labels: Labels = {}): Promise<string> {
  const name = `end-${randomBytes(4).toString('hex')}`;
  await kit.make(namespaces, undefined, name, { metadata: { labels } });
  await kit.seen(serviceAccounts, name, 'default', () => true);
  return name;
}

type Labels = Readonly<Record<string, string>>;

export function podOf(namespace: string, name: string, spec: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'pause', image: 'registry.test/pause:3' }],
      ...spec,
    },
  };
}
