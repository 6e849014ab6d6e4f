import { isLeaving } from '../shapes/meta.ts';
import { isOver, isReady, type Pod } from '../shapes/pod.ts';
import type {
  EndpointAddress,
  EndpointPort,
  Node,
  Service,
  SliceEndpoint,
  Subset,
} from '../shapes/surroundings.ts';
import { portsOf } from './service-ports.ts';

/** A pod behind a service. */
export type Backend = {
  readonly pod: Pod;
  /** Where it runs; none where no such node is known. */
  readonly node: Node | undefined;
  readonly ip: string;
  readonly isReady: boolean;
  readonly ports: readonly EndpointPort[];
};

type FindNode = (name: string) => Node | undefined;

/** Of the pods that the service selects. */
export function backendsOf(
  service: Service,
  pods: readonly Pod[],
  findNode: FindNode,
): readonly Backend[] {
  const { publishNotReadyAddresses = false } = service.spec;
  const backends: Backend[] = [];
  for (const pod of pods) {
    const ip = pod.status?.podIP;
    if (ip === undefined || isOver(pod)) continue;
    const ready = isReady(pod) && !isLeaving(pod);
    const ports = portsOf(service, pod);
    const node = findNode(pod.spec.nodeName ?? '');
    backends.push({ pod, node, ip, isReady: ready || publishNotReadyAddresses, ports });
  }
  return backends.toSorted((a, b) => (a.pod.metadata.name < b.pod.metadata.name ? -1 : 1));
}

/** Of the ports that the same pods have one subset; who is on his way out stands in none. */
export function subsetsOf(service: Service, backends: readonly Backend[]): readonly Subset[] {
  const { publishNotReadyAddresses: stays = false, ports: wanted = [] } = service.spec;
  const present = backends.filter(({ pod }) => stays || !isLeaving(pod));
  if (wanted.length === 0) return present.length === 0 ? [] : [subsetOf(service, present, [])];
  const listening = present.flatMap((backend) => backend.ports.map((port) => ({ port, backend })));
  const behind = Map.groupBy(listening, ({ port }) => JSON.stringify(port));
  const alike = Map.groupBy(behind.values(), (each) =>
    each.map(({ backend }) => backend.ip).join(),
  );
  return [...alike.values()].map((each) => {
    const backendsOfOne = each[0]?.map(({ backend }) => backend) ?? [];
    const ports = each.flatMap(([one]) => one?.port ?? []);
    return subsetOf(service, backendsOfOne, ports);
  });
}

function subsetOf(
  service: Service,
  group: readonly Backend[],
  ports: readonly EndpointPort[],
): Subset {
  const ready = group.filter((each) => each.isReady).map((each) => addressOf(service, each));
  const others = group.filter((each) => !each.isReady).map((each) => addressOf(service, each));
  return {
    ...(ready.length > 0 && { addresses: ready }),
    ...(others.length > 0 && { notReadyAddresses: others }),
    ports,
  };
}

function byPorts(backends: readonly Backend[]): ReadonlyMap<string, readonly Backend[]> {
  return Map.groupBy(backends, ({ ports }) => JSON.stringify(ports));
}

function addressOf(service: Service, { pod, ip }: Backend): EndpointAddress {
  return { ip, ...placeIn(service, pod), targetRef: referenceTo(pod) };
}

/** Under the service's own name a pod has a name of its own. */
function placeIn({ metadata }: Service, { spec }: Pod) {
  const { hostname, subdomain, nodeName } = spec;
  return {
    ...(nodeName !== undefined && { nodeName }),
    ...(hostname !== undefined && subdomain === metadata.name && { hostname }),
  };
}

function referenceTo({ metadata }: Pod) {
  const { namespace = '', name, uid } = metadata;
  return { kind: 'Pod', namespace, name, uid };
}

export type Slice = {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly SliceEndpoint[];
};

const mostInSlice = 100;

/** As kube-proxy reads them: with those that end, which still serve, and without those that are nowhere. */
export function slicesOf(service: Service, backends: readonly Backend[]): readonly Slice[] {
  return [...byPorts(backends.filter((each) => isSomewhere(service, each))).values()].flatMap(
    (group) => {
      const endpoints = group.map((each) => sliceEndpoint(service, each));
      const count = Math.ceil(endpoints.length / mostInSlice);
      return Array.from({ length: count }, (_, at) => ({
        ports: group[0]?.ports ?? [],
        endpoints: endpoints.slice(at * mostInSlice, (at + 1) * mostInSlice),
      }));
    },
  );
}

/** On a node that is known; or its service does not mind. */
export function isSomewhere({ spec }: Service, { node }: Backend): boolean {
  return node !== undefined || spec.publishNotReadyAddresses === true;
}

const zoneKey = 'topology.kubernetes.io/zone';

function sliceEndpoint(service: Service, backend: Backend): SliceEndpoint {
  const { pod, node, ip, isReady: ready } = backend;
  const zone = node?.metadata.labels?.[zoneKey] ?? '';
  return {
    addresses: [ip],
    conditions: { ready, serving: isReady(pod), terminating: isLeaving(pod) },
    ...placeIn(service, pod),
    ...(zone !== '' && { zone }),
    targetRef: referenceTo(pod),
  };
}
