import { matchesLabels } from '#shared/domain/selector.ts';
import { isLeaving } from '../shapes/meta.ts';
import { isOver, isReady, type Pod } from '../shapes/pod.ts';
import type {
  EndpointAddress,
  EndpointPort,
  Service,
  SliceEndpoint,
  Subset,
} from '../shapes/surroundings.ts';
import { portsOf } from './service-ports.ts';

/** A pod behind a service. */
export type Backend = {
  readonly pod: Pod;
  readonly ip: string;
  readonly isReady: boolean;
  readonly ports: readonly EndpointPort[];
};

export function backendsOf(service: Service, pods: Iterable<Pod>): readonly Backend[] {
  const { selector, publishNotReadyAddresses = false } = service.spec;
  if (selector === undefined) return [];
  const backends: Backend[] = [];
  for (const pod of pods) {
    const ip = pod.status?.podIP;
    if (ip === undefined || isOver(pod)) continue;
    if (!matchesLabels({ matchLabels: selector }, pod.metadata.labels ?? {})) continue;
    const ready = isReady(pod) && !isLeaving(pod);
    const ports = portsOf(service, pod);
    backends.push({ pod, ip, isReady: ready || publishNotReadyAddresses, ports });
  }
  return backends.toSorted((a, b) => (a.pod.metadata.name < b.pod.metadata.name ? -1 : 1));
}

/** Of those with the same ports one subset; who is on his way out stands in none. */
export function subsetsOf(service: Service, backends: readonly Backend[]): readonly Subset[] {
  const { publishNotReadyAddresses: stays = false } = service.spec;
  const present = backends.filter(({ pod }) => stays || !isLeaving(pod));
  return [...byPorts(present).values()].map((group) => {
    const ready = group.filter((each) => each.isReady).map((each) => addressOf(service, each));
    const others = group.filter((each) => !each.isReady).map((each) => addressOf(service, each));
    return {
      ...(ready.length > 0 && { addresses: ready }),
      ...(others.length > 0 && { notReadyAddresses: others }),
      ports: group[0]?.ports ?? [],
    };
  });
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

/** As kube-proxy reads them: with those that end, which still serve. */
export function slicesOf(service: Service, backends: readonly Backend[]): readonly Slice[] {
  return [...byPorts(backends).values()].flatMap((group) => {
    const endpoints = group.map((each) => sliceEndpoint(service, each));
    const count = Math.ceil(endpoints.length / mostInSlice);
    return Array.from({ length: count }, (_, at) => ({
      ports: group[0]?.ports ?? [],
      endpoints: endpoints.slice(at * mostInSlice, (at + 1) * mostInSlice),
    }));
  });
}

function sliceEndpoint(service: Service, { pod, ip, isReady: ready }: Backend): SliceEndpoint {
  return {
    addresses: [ip],
    conditions: { ready, serving: isReady(pod), terminating: isLeaving(pod) },
    ...placeIn(service, pod),
    targetRef: referenceTo(pod),
  };
}
