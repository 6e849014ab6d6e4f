import type { Cluster, Ports, Write, WriteOptions } from '#shared/ports.ts';

/** What functions of this process wrote lately, on nothing but what they had read. Of one that wrote elsewhere nothing is known, and it runs. */
export type OwnWrites = {
  /** The same ports, with what is written by them noted for the function of that name. */
  noting(functionName: string, ports: Ports): Ports;
  /** Whether the event tells of nothing but a state that this very function wrote. Whatever came after it has its own. */
  isOwn(functionName: string, eventId: string): boolean;
};

/** An event follows its write within seconds; after a restore of the cluster a version may come again, with another state. */
const lifeMs = 60_000;
const most = 20_000;

export function openOwnWrites(now: () => number = () => performance.now()): OwnWrites {
  const written = new Map<string, number>();
  const note = (functionName: string, write: Write): Write => {
    if (write.kind !== 'written') return write;
    const { uid = '', resourceVersion = '' } = write.object.metadata;
    written.set(keyOf(functionName, uid, resourceVersion), now());
    const [oldest] = written.size > most ? written.keys() : [];
    if (oldest !== undefined) written.delete(oldest);
    return write;
  };
  return {
    noting: (name, ports) => ({
      ...ports,
      cluster: noted(ports.cluster, (write) => note(name, write)),
    }),
    isOwn(name, eventId) {
      const [, uid = '', version = ''] =
        /^([^/]+)\/([^/]+)\/(?:added|modified)$/.exec(eventId) ?? [];
      const at = written.get(keyOf(name, uid, version));
      return at !== undefined && now() - at < lifeMs;
    },
  };
}

function keyOf(functionName: string, uid: string, resourceVersion: string): string {
  return `${functionName}/${uid}/${resourceVersion}`;
}

/**
 * What is deleted or evicted comes to its end later, and is looked at then. What is written over whatever was there may have
 * gone over what another run wrote, of newer facts: its event is looked at as well.
 */
function noted(cluster: Cluster, note: (write: Write) => Write): Cluster {
  const noteIfSure = (write: Write, { resourceVersion }: WriteOptions = {}) =>
    resourceVersion === undefined ? write : note(write);
  return {
    ...cluster,
    create: async (...given) => note(await cluster.create(...given)),
    replace: async (...given) => note(await cluster.replace(...given)),
    patch: async (...given) => noteIfSure(await cluster.patch(...given), given[2]),
    apply: async (...given) => noteIfSure(await cluster.apply(...given), given[2]),
  };
}
