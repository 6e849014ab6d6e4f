import { openCertificates } from '#shared/adapters/certificates/x509.ts';
import {
  liveBootstrapDocuments,
  openBootstrapDocuments,
} from '#shared/adapters/cluster/bootstrap-documents.ts';
import { eventWriter } from '#shared/adapters/cluster/events.ts';
import type { Login } from '#shared/adapters/cluster/login.ts';
import { liveNamespaces, openNamespaces } from '#shared/adapters/cluster/namespaces.ts';
import { narrowed } from '#shared/adapters/cluster/narrowed.ts';
import { liveNodes, openNodes } from '#shared/adapters/cluster/nodes.ts';
import {
  type ProjectedBundles,
  projectedBundles,
} from '#shared/adapters/cluster/projected-bundles.ts';
import type { Database } from '#shared/adapters/database/open.ts';
import type { KnownMigration } from '#shared/adapters/database/schema.ts';
import type { Definition } from '#shared/define.ts';
import type { DocumentKeeper } from '#shared/domain/pod-bootstrap/document-keeper.ts';
import type { Cluster, Ports, Restarts } from '#shared/ports.ts';
import { documentKeeper } from './document-keeper.ts';
import { ofKnownSchema } from './known-schema.ts';
import { type LazyImages, lazyImages } from './lazy-images.ts';
import { liveMirror } from './live-mirror.ts';
import { type Mirrored, mirroredPorts } from './mirrored-ports.ts';
import { type Once, once } from './once.ts';
import { lazyRestarts } from './restarts.ts';
import type { Staleness } from './staleness.ts';
import { type ThrowLog, throwsTold } from './throws-told.ts';

/** What every process has, and where it may ask for more. */
export type Supplies = Pick<Ports, 'settings' | 'conditions' | 'measures'> & {
  /** Where none is named, asking the cluster fails and says what is missing. */
  readonly login: Login | undefined;
  /** Of the database; where none is named, there is no mirror. */
  readonly databaseUrl?: string | undefined;
  /** That the database must have before it is first used; left out, somebody else has seen to it. */
  readonly schema?: readonly KnownMigration[] | undefined;
  /** Listens to changes of the mirror, so that namespaces and nodes come from there: for what goes on for long. */
  readonly isListening?: boolean;
  /** Hears of bugs that cost nobody an answer. */
  readonly log?: ThrowLog | undefined;
};

export type Wiring = {
  readonly ports: Ports;
  /** The ports of one function: its `cluster` is narrowed to the rights that it states. */
  portsOf(definition: Definition): Ports;
  /** The same past every cache, for a run that follows a conflict. */
  livePortsOf(definition: Definition): Ports;
  /** Of what is remembered from the mirror. */
  staleness(): Promise<Staleness>;
  /** Shared by all that is opened on it. Nothing is asked yet. */
  database(): Promise<Database>;
  /** Its tables would be misread: from here on it counts as away, and what was remembered of it is forgotten. */
  leaveDatabase(): Promise<void>;
  close(): Promise<void>;
};

const noCluster =
  'no cluster is named: set KUBECONFIG, pass --kubeconfig FILE, or run inside a cluster';

const leftDatabase = 'the database is not used: its tables would be misread';

const noDatabase = 'no database is named: set DATABASE_URL';

/** The composition root. Adapters do not know each other; what they share is opened here, once, on first use. */
export function wire(supplies: Supplies): Wiring {
  const { settings, isListening = false, log } = supplies;
  const { opened, database } = connections(supplies);
  const cluster = lazyCluster(opened.get);
  const keeper = documentKeeper(supplies);
  const projected = projecting(projectedBundles(cluster, { settings }));
  const { live, liveUnremembered } = liveOn(cluster, { settings, keeper });
  const given = { database, settings, keeper, isListening };
  const told = mirroredPorts({ ...given, live, liveUnremembered });
  const mirrored = projected(told);
  const past = projected(liveUnremembered);
  // Without a database there is nobody else to ask.
  const woken = supplies.databaseUrl === undefined ? past : projected(told.unremembered);
  const { bootstrapDocument } = mirrored;
  const restarts = lazyRestarts({ database, settings });
  const clock = { now: () => new Date() };
  const threw = log && throwsTold(log);
  const unremembered = woken.bootstrapDocument;
  const asking = { settings, clock, cluster, bootstrapDocument, unremembered };
  const judging = lazyImages({ ...asking, database, threw });
  const ports = portsFrom(supplies, { cluster, mirrored, restarts, clock, ...judging });
  const ofRuns = { ...woken, images: judging.imagesOfRuns };
  const portsOf = ({ name, shape, access = [] }: Definition): Ports => ({
    ...ports,
    ...(shape === 'reconcile' ? ofRuns : {}),
    cluster: narrowed(cluster, access, {
      function: name,
      installationNamespace: settings.current().installation.namespace,
      settings,
    }),
  });
  return {
    ports,
    portsOf,
    livePortsOf: (definition) => {
      const own = portsOf(definition);
      return {
        ...own,
        ...past,
        mirror: liveMirror(own.mirror, own.cluster, definition),
      };
    },
    staleness: mirrored.staleness,
    database: database.get,
    leaveDatabase: async () => {
      database.leave();
      await judging.forget();
      await mirrored.close();
      await (await database.known())?.close();
    },
    close: async () => {
      (await opened.known())?.close();
      await judging.close();
      await mirrored.close();
      await (await database.known())?.close();
    },
  };
}

function projecting(projected: ProjectedBundles) {
  return <T extends Pick<Ports, 'bootstrapDocument'>>(ports: T): T => ({
    ...ports,
    bootstrapDocument: projected(ports.bootstrapDocument),
  });
}

type Documents = { readonly settings: Ports['settings']; readonly keeper: DocumentKeeper };

/** For reviews, of which thousands ask the same; and for what is woken, which has to know what is true since. */
function liveOn(cluster: Cluster, documents: Documents) {
  return {
    live: {
      namespaces: openNamespaces(cluster),
      nodes: openNodes(cluster),
      bootstrapDocument: openBootstrapDocuments(cluster, documents),
    },
    liveUnremembered: {
      namespaces: liveNamespaces(cluster),
      nodes: liveNodes(cluster),
      bootstrapDocument: liveBootstrapDocuments(cluster, documents),
    },
  };
}

type Asked = Pick<LazyImages, 'images'> & {
  readonly clock: Ports['clock'];
  readonly cluster: Cluster;
  readonly mirrored: Mirrored;
  readonly restarts: Restarts;
};

function portsFrom(
  { settings, conditions, measures }: Supplies,
  { cluster, mirrored, restarts, clock, images }: Asked,
): Ports {
  const events = eventWriter(cluster, clock, { component: 'gatehouse' });
  const certificates = openCertificates();
  const { mirror, namespaces, nodes, bootstrapDocument } = mirrored;
  return {
    ...{ clock, settings, conditions, measures },
    ...{
      cluster,
      mirror,
      namespaces,
      nodes,
      bootstrapDocument,
      events,
      certificates,
      restarts,
      images,
    },
  };
}

/** What costs a connection is opened by whoever asks first. */
function connections({ settings, login, databaseUrl, schema, conditions }: Supplies) {
  const opened = once(async () => {
    if (login === undefined) throw new Error(noCluster);
    const { openCluster } = await import('#shared/adapters/cluster/open-cluster.ts');
    return openCluster({ login });
  });
  const database = once(async () => {
    if (databaseUrl === undefined) throw new Error(noDatabase);
    const { openDatabase } = await import('#shared/adapters/database/open.ts');
    const { connections } = settings.current().database;
    return openDatabase(databaseUrl, { name: 'gatehouse', connections });
  });
  return { opened, database: untilLeft(ofKnownSchema(database, { schema, conditions })) };
}

/** Whoever has it already is refused by it, once it is closed. */
function untilLeft<T>({ get, known }: Once<T>): Once<T> & { leave(): void } {
  let isLeft = false;
  return {
    known,
    async get() {
      if (isLeft) throw new Error(leftDatabase);
      return get();
    },
    leave() {
      isLeft = true;
    },
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
