import { openCertificates } from '#shared/adapters/certificates/x509.ts';
import {
  liveBootstrapDocuments,
  openBootstrapDocuments,
} from '#shared/adapters/cluster/bootstrap-documents.ts';
import { eventWriter } from '#shared/adapters/cluster/events.ts';
import { liveNamespaces, openNamespaces } from '#shared/adapters/cluster/namespaces.ts';
import { narrowed } from '#shared/adapters/cluster/narrowed.ts';
import { liveNodes, openNodes } from '#shared/adapters/cluster/nodes.ts';
import { reads } from '#shared/adapters/cluster/reads.ts';
import { writes } from '#shared/adapters/cluster/writes.ts';
import type { Definition } from '#shared/define.ts';
import type { Cluster, Mirror, Namespaces, Ports } from '#shared/ports.ts';
import { documentKeeper } from '#shared/runtime/document-keeper.ts';
import { liveMirror } from '#shared/runtime/live-mirror.ts';
import { mirrorInMemory } from '../../testing/mirror-in-memory.ts';
import { restartsInMemory } from '../../testing/restarts-in-memory.ts';
import { askOn } from './asking.ts';
import type { Ground } from './ground.ts';
import { imagesIn } from './images.ts';
import { type Life, mortal } from './mortal.ts';

/** As production's `wire`, on what is in memory. */
export type PortsOf = {
  readonly namespaces: Namespaces;
  usual(definition: Definition): Ports;
  /** Past every cache, for the run after a conflict. */
  live(definition: Definition): Ports;
};

export function portsOn(ground: Ground, life: Life): PortsOf {
  const { settings, reported, troubles, time } = ground;
  const { conditions, measures } = reported;
  const clock = { now: () => new Date(time.now() + troubles.skewMs) };
  const ask = askOn({ ...ground, held: ground.held.around });
  const cluster: Cluster = {
    ...mortal({ ...reads(ask), ...writes(ask) }, life),
    list: reads(ask).list,
  };
  const keeper = documentKeeper({ settings, conditions, measures });
  const ofReviews = {
    namespaces: openNamespaces(cluster, { clock: impatient() }),
    nodes: openNodes(cluster, { clock: impatient() }),
    bootstrapDocument: openBootstrapDocuments(cluster, { settings, keeper, clock: impatient() }),
  };
  const ofRuns = {
    namespaces: liveNamespaces(cluster),
    nodes: liveNodes(cluster),
    bootstrapDocument: liveBootstrapDocuments(cluster, { settings, keeper }),
  };
  const { bootstrapDocument } = ofReviews;
  const trust = { settings, clock, cluster, bootstrapDocument, store: ground.verdicts.open() };
  const shared = {
    ...{ clock, settings, conditions, measures, ...ofReviews },
    images: mortal(imagesIn({ ...trust, ...ground.beyond }), life),
    mirror: mortal(
      copying(mirrorInMemory({ shelf: ground.shelf, cluster: clusterOf(ground) })),
      life,
    ),
    events: eventWriter(cluster, clock, { component: 'gatehouse' }),
    certificates: openCertificates(),
    restarts: mortal(restartsInMemory({ now: time.now, shelf: ground.restarts }), life),
  };
  const usual = ({ name, shape, access = [] }: Definition): Ports => {
    const installationNamespace = settings.current().installation.namespace;
    return {
      ...shared,
      ...(shape === 'reconcile' ? ofRuns : {}),
      cluster: narrowed(cluster, access, { function: name, installationNamespace, settings }),
    };
  };
  return {
    namespaces: shared.namespaces,
    usual,
    live(definition) {
      const own = usual(definition);
      return { ...own, ...ofRuns, mirror: liveMirror(own.mirror, own.cluster, definition) };
    },
  };
}

/** Caches remember nothing: while invented time stands still, what is a second old would stay so for ever. */
function impatient() {
  let ms = 0;
  return {
    now: () => {
      ms += 60_000;
      return new Date(ms);
    },
  };
}

export function clusterOf({ settings }: Pick<Ground, 'settings'>): string {
  return settings.current().installation.cluster;
}

/** Whoever writes into what was read has written into a copy, as with a database. */
function copying(mirror: Mirror): Mirror {
  return {
    find: async (...given) => structuredClone(await mirror.find(...given)),
    findByUid: async (...given) => structuredClone(await mirror.findByUid(...given)),
    async list(...given) {
      const { resourceVersion, objects } = await mirror.list(...given);
      return { resourceVersion, objects: copies(objects) };
    },
  };
}

async function* copies<T>(objects: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const each of objects) yield structuredClone(each);
}
