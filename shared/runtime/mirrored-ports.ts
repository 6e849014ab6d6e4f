import type { Heard } from '#shared/adapters/database/heard.ts';
import type { Database } from '#shared/adapters/database/open.ts';
import {
  clusterTrustBundles,
  configMaps,
  type Kind,
  namespaces as namespaceKind,
  nodes as nodeKind,
} from '#shared/domain/kind.ts';
import type { DocumentKeeper } from '#shared/domain/pod-bootstrap/document-keeper.ts';
import type {
  BootstrapDocuments,
  Mirror,
  Namespaces,
  Nodes,
  Ports,
  SettingsPort,
} from '#shared/ports.ts';
import { type Once, once } from './once.ts';
import { pause } from './pause.ts';
import type { Staleness } from './staleness.ts';

type Live = Pick<Ports, 'namespaces' | 'nodes' | 'bootstrapDocument'>;

/** What processes keep in memory, and want to be told of. */
export const keptKinds: readonly Kind[] = [
  namespaceKind,
  nodeKind,
  configMaps,
  clusterTrustBundles,
];

export type Mirrored = Live & {
  readonly mirror: Mirror;
  /** The same without memory, for whoever is woken: read as it was before the commit that woke him, it would stay unseen. */
  readonly unremembered: Live;
  staleness(): Promise<Staleness>;
  close(): Promise<void>;
};

export type MirroredOptions = {
  readonly database: Once<Database>;
  /** As often as reviews may ask the cluster. */
  readonly live: Live;
  /** As it is when it is asked. */
  readonly liveUnremembered: Live;
  readonly settings: SettingsPort;
  readonly keeper: DocumentKeeper;
  readonly isListening: boolean;
};

/** What is read from the database; loaded by whoever asks for it first, as functions without it never need it. */
export function mirroredPorts(options: MirroredOptions): Mirrored {
  const { database, live, settings, isListening } = options;
  const mirror = once(async (): Promise<Mirror> => {
    const { sql } = await database.get();
    const { mirrorOn } = await import('#shared/adapters/database/mirror.ts');
    return mirrorOn(sql, { cluster: clusterOf(settings) });
  });
  const heard = once(async () => openHeardPorts(options, await mirror.get()));
  // From the first moment, so that it is known what the mirror is worth when somebody asks.
  if (isListening) void heard.get().catch(toldToWhoAsks);
  const ports = isListening ? lazyPorts(heard) : live;
  const lazily = lazyMirror(mirror);
  return {
    mirror: lazily,
    ...ports,
    unremembered: unrememberedPorts(options, { mirror: lazily, heard }),
    staleness: async () => (await heard.known()?.catch(() => undefined))?.staleness() ?? unheard,
    async close() {
      const enough = new AbortController();
      // Who is asked and does not answer (a database that is away) keeps nobody from going.
      await Promise.race([closed(heard), pause(closingMs, enough.signal)]);
      enough.abort();
    },
  };
}

function toldToWhoAsks(): void {}

const closingMs = 500;

async function closed(heard: Once<HeardPorts>): Promise<void> {
  await (await heard.known())?.close();
}

type HeardPorts = Live & {
  readonly isStale: Heard['isStale'];
  staleness(): Staleness;
  close(): Promise<void>;
};

/** Nobody listens, or not yet. */
const unheard: Staleness = Object.freeze({
  beatAgeMs: Number.POSITIVE_INFINITY,
  kinds: keptKinds.map(({ resource }) => ({ resource, isStale: true })),
});

async function openHeardPorts(
  { database, live, settings, keeper }: MirroredOptions,
  mirror: Mirror,
): Promise<HeardPorts> {
  const { sql } = await database.get();
  const [{ openHeard }, { namespacesOn }, { nodesOn }, { bootstrapDocumentsOn, documentScopes }] =
    await Promise.all([
      import('#shared/adapters/database/heard.ts'),
      import('#shared/adapters/database/namespaces.ts'),
      import('#shared/adapters/database/nodes.ts'),
      import('#shared/adapters/database/bootstrap-documents.ts'),
    ]);
  const cluster = clusterOf(settings);
  const quietMs = quietOf(settings);
  const heard = openHeard(sql, { cluster, kinds: keptKinds, quietMs });
  const documents = { mirror, heard, settings, keeper, live: live.bootstrapDocument };
  return {
    namespaces: namespacesOn({ mirror, heard, live: live.namespaces }),
    nodes: nodesOn({ sql, cluster, heard, live: live.nodes }),
    bootstrapDocument: bootstrapDocumentsOn(documents),
    isStale: heard.isStale,
    staleness: () => ({
      beatAgeMs: heard.beatAgeMs(),
      kinds: keptKinds.map((kind) => {
        // Of ConfigMaps one is kept, and who follows that one may follow no others.
        const { configMap } = settings.current().podBootstrap;
        const enough = kind === configMaps ? documentScopes(configMap) : undefined;
        return { resource: kind.resource, isStale: heard.isStale(kind, enough) };
      }),
    }),
    close: () => heard.close(),
  };
}

type Unremembered = { readonly mirror: Mirror; readonly heard: Once<HeardPorts> };

/** Of a database that is away nobody is told here: the cluster is asked then, as by whoever has none. */
function unrememberedPorts(options: MirroredOptions, { mirror, heard }: Unremembered): Live {
  const { database, liveUnremembered: live, settings, keeper, isListening } = options;
  const opened = once(async (): Promise<Live> => {
    const [
      { stalenessOn },
      { followedReads },
      { mirroredNamespaces },
      { mirroredNodes },
      { mirroredDocuments },
    ] = await Promise.all([
      import('#shared/adapters/database/followed.ts'),
      import('#shared/adapters/database/followed-reads.ts'),
      import('#shared/adapters/database/namespaces.ts'),
      import('#shared/adapters/database/nodes.ts'),
      import('#shared/adapters/database/bootstrap-documents.ts'),
    ]);
    const cluster = clusterOf(settings);
    const sql = async () => (await database.get()).sql;
    const reads = followedReads(
      isListening
        ? async (...given) => (await heard.get()).isStale(...given)
        : stalenessOn(sql, { cluster, quietMs: quietOf(settings) }),
    );
    const onTables = { sql, cluster, reads };
    const keeping = { ...onTables, settings, keeper, live: live.bootstrapDocument };
    return {
      namespaces: mirroredNamespaces({ mirror, reads, live: live.namespaces }),
      nodes: mirroredNodes({ ...onTables, live: live.nodes }),
      bootstrapDocument: mirroredDocuments(keeping),
    };
  });
  return lazyPorts(opened);
}

/** Whoever lives on what a watch told stops to believe it before the forwarder itself gives it up: by default, after 90 s. */
function quietOf(settings: SettingsPort): number {
  return settings.current().forwarder.idleMs * 0.75;
}

function clusterOf(settings: SettingsPort): string {
  return settings.current().installation.cluster;
}

function lazyPorts(opened: Once<Live>): Live {
  return {
    namespaces: lazyNamespaces(opened),
    nodes: lazyNodes(opened),
    bootstrapDocument: lazyDocuments(opened),
  };
}

function lazyMirror({ get }: Once<Mirror>): Mirror {
  return {
    find: async (...given) => (await get()).find(...given),
    findByUid: async (...given) => (await get()).findByUid(...given),
    list: async (...given) => (await get()).list(...given),
  };
}

function lazyNamespaces({ get }: Once<Live>): Namespaces {
  return {
    find: async (...given) => (await get()).namespaces.find(...given),
    findLive: async (...given) => (await get()).namespaces.findLive(...given),
    list: async (...given) => (await get()).namespaces.list(...given),
  };
}

function lazyNodes({ get }: Once<Live>): Nodes {
  return { list: async (...given) => (await get()).nodes.list(...given) };
}

function lazyDocuments({ get }: Once<Live>): BootstrapDocuments {
  return {
    current: async () => (await get()).bootstrapDocument.current(),
    problems: async () => (await get()).bootstrapDocument.problems(),
    readLive: async () => (await get()).bootstrapDocument.readLive(),
    trustBundle: async (...given) => (await get()).bootstrapDocument.trustBundle(...given),
  };
}
