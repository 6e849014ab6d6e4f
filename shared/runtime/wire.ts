import { openCertificates } from '#shared/adapters/certificates/x509.ts';
import { eventWriter } from '#shared/adapters/cluster/events.ts';
import type { Login } from '#shared/adapters/cluster/login.ts';
import { openNamespaces } from '#shared/adapters/cluster/namespaces.ts';
import { narrowed } from '#shared/adapters/cluster/narrowed.ts';
import { openNodes } from '#shared/adapters/cluster/nodes.ts';
import type { Definition } from '#shared/define.ts';
import type { Cluster, EventWriter, Mirror, Namespaces, Nodes, Ports } from '#shared/ports.ts';
import { once } from './once.ts';

/** What every process has, and where it may ask for more. */
export type Supplies = Pick<Ports, 'settings' | 'conditions' | 'measures'> & {
  /** Where none is named, asking the cluster fails and says what is missing. */
  readonly login: Login | undefined;
};

export type Wiring = {
  readonly ports: Ports;
  /** The ports of one function: its `cluster` is narrowed to the rights that it states. */
  portsOf(definition: Definition): Ports;
  close(): Promise<void>;
};

const noCluster =
  'no cluster is named: set KUBECONFIG, pass --kubeconfig FILE, or run inside a cluster';

const withoutDatabase = () =>
  Promise.reject(new Error('there is no mirror: no database is named; set DATABASE_URL'));
const noMirror: Mirror = {
  find: withoutDatabase,
  findByUid: withoutDatabase,
  list: withoutDatabase,
};

/** The composition root. Adapters do not know each other; what they share is opened here, once, on first use. */
export function wire(supplies: Supplies): Wiring {
  const { settings, conditions, measures, login } = supplies;
  const clock = { now: () => new Date() };
  const opened = once(async () => {
    if (login === undefined) throw new Error(noCluster);
    const { openCluster } = await import('#shared/adapters/cluster/open-cluster.ts');
    return openCluster({ login });
  });

  const cluster = lazyCluster(opened.get);
  const namespaces: Namespaces = openNamespaces(cluster);
  const nodes: Nodes = openNodes(cluster);
  const events: EventWriter = eventWriter(cluster, clock, { component: 'gatehouse' });
  const ports: Ports = {
    clock,
    settings,
    conditions,
    measures,
    cluster,
    mirror: noMirror,
    namespaces,
    nodes,
    events,
    certificates: openCertificates(),
  };
  return {
    ports,
    portsOf: ({ name, access = [] }) => ({
      ...ports,
      cluster: narrowed(cluster, access, {
        function: name,
        installationNamespace: settings.current().installation.namespace,
      }),
    }),
    close: async () => (await opened.known())?.close(),
  };
}

/** A process whose functions never ask the cluster never loads its client. */
function lazyCluster(open: () => Promise<Cluster>): Cluster {
  return {
    find: async (target) => (await open()).find(target),
    async *list(kind, options) {
      yield* (await open()).list(kind, options);
    },
    create: async (...given) => (await open()).create(...given),
    replace: async (...given) => (await open()).replace(...given),
    patch: async (...given) => (await open()).patch(...given),
    apply: async (...given) => (await open()).apply(...given),
    evict: async (...given) => (await open()).evict(...given),
    delete: async (...given) => (await open()).delete(...given),
  };
}
