import { isIPv6 } from 'node:net';
import { sameJson } from '#shared/domain/json.ts';
import type { Outcome } from '#shared/domain/outcome.ts';
import { outcomeOfAll, type Written } from '../frame/api.ts';
import { type Controller, targetOf, type World, wake } from '../frame/controller.ts';
import { ownerReference } from '../owning/claim.ts';
import { controllerPlaces } from '../owning/claimed.ts';
import { endpointSlices, endpoints, services } from '../shapes/kinds.ts';
import { isLeaving, placeOf } from '../shapes/meta.ts';
import type { EndpointAddress, EndpointSlice, Endpoints, Subset } from '../shapes/surroundings.ts';

const managedByKey = 'endpointslice.kubernetes.io/managed-by';
const mirrorName = 'endpointslicemirroring-controller.k8s.io';
const serviceKey = 'kubernetes.io/service-name';
const skipKey = 'endpointslice.kubernetes.io/skip-mirror';
const leaderKey = 'control-plane.alpha.kubernetes.io/leader';
/** What the slices do not carry on. */
const ownKeys = [
  'endpoints.kubernetes.io/last-change-trigger-time',
  'kubectl.kubernetes.io/last-applied-configuration',
];

/** Endpoints that somebody states for a service without a selector, as slices, which is what is read today. */
export const endpointMirror: Controller = {
  name: 'endpoint-mirror',
  settleMs: 20,
  wakes: [
    wake(services, (service) => [placeOf(service)]),
    wake(endpoints, (object) => [placeOf(object)]),
    wake(endpointSlices, controllerPlaces('Endpoints')),
  ],
  async reconcile(place, world) {
    const service = world.shelf(services).find(place);
    const stated = world.shelf(endpoints).find(place);
    const isMirrored = service !== undefined && service.spec.selector === undefined;
    const source = isMirrored && stated !== undefined && mayMirror(stated) ? stated : undefined;
    return state(source, slicesAt(place, world), world);
  },
};

function mayMirror(object: Endpoints): boolean {
  const { labels, annotations } = object.metadata;
  const isSkipped = labels?.[skipKey] === 'true' || annotations?.[leaderKey] !== undefined;
  return !isSkipped && !isLeaving(object);
}

function slicesAt(place: string, world: World): readonly EndpointSlice[] {
  const [namespace = '', name] = place.split('/');
  return [...world.shelf(endpointSlices).list(namespace)]
    .filter((slice) => {
      const { labels = {} } = slice.metadata;
      return labels[serviceKey] === name && labels[managedByKey] === mirrorName;
    })
    .filter((slice) => !isLeaving(slice));
}

type Mirrored = Pick<EndpointSlice, 'addressType' | 'endpoints' | 'ports'>;

async function state(
  source: Endpoints | undefined,
  known: readonly EndpointSlice[],
  world: World,
): Promise<Outcome> {
  const wanted = source === undefined ? [] : (source.subsets ?? []).flatMap(mirrored);
  const left = [...known];
  const written = wanted.map((slice) => {
    const at = left.findIndex((each) => isOfKind(each, slice));
    const [own] = at === -1 ? [] : left.splice(at, 1);
    return source && stateOne({ source, slice, own }, world);
  });
  const removed = left.map((each) =>
    world.api.remove(targetOf(endpointSlices, each), { uid: each.metadata.uid }),
  );
  const all = await Promise.all([...written, ...removed]);
  return outcomeOfAll(all.filter((each) => each !== undefined));
}

function isOfKind(one: Mirrored, other: Mirrored): boolean {
  return one.addressType === other.addressType && sameJson(one.ports ?? [], other.ports);
}

type One = {
  readonly source: Endpoints;
  readonly slice: Mirrored;
  readonly own: EndpointSlice | undefined;
};

async function stateOne({ source, slice, own }: One, world: World): Promise<Written | undefined> {
  const { name, namespace = '', labels, annotations = {} } = source.metadata;
  const kept = Object.entries(annotations).filter(([key]) => !ownKeys.includes(key));
  const metadata = {
    labels: { ...labels, [serviceKey]: name, [managedByKey]: mirrorName },
    annotations: Object.fromEntries(kept),
  };
  if (own === undefined) {
    const owned = {
      generateName: `${name}-`,
      namespace,
      ownerReferences: [ownerReference(source)],
    };
    return world.api.create(endpointSlices, { metadata: { ...metadata, ...owned }, ...slice });
  }
  const isSame =
    sameJson(own.endpoints ?? [], slice.endpoints) &&
    sameJson(own.metadata.labels ?? {}, metadata.labels) &&
    sameJson(own.metadata.annotations ?? {}, metadata.annotations);
  if (isSame) return undefined;
  const body = { metadata, endpoints: slice.endpoints };
  return world.api.update(targetOf(endpointSlices, own), own, body);
}

/** Of each family of addresses one. */
function mirrored({ addresses = [], notReadyAddresses = [], ports = [] }: Subset): Mirrored[] {
  const all = [
    ...addresses.map((address) => ({ address, ready: true })),
    ...notReadyAddresses.map((address) => ({ address, ready: false })),
  ];
  return (['IPv4', 'IPv6'] as const).flatMap((addressType) => {
    const own = all.filter(({ address }) => isIPv6(address.ip) === (addressType === 'IPv6'));
    if (own.length === 0) return [];
    const named = ports.map((port) => ({ ...port, name: port.name ?? '' }));
    return { addressType, endpoints: own.map(endpointOf), ports: named };
  });
}

function endpointOf({
  address,
  ready,
}: {
  readonly address: EndpointAddress;
  readonly ready: boolean;
}) {
  const { ip, ...more } = address;
  return { addresses: [ip], conditions: { ready }, ...more };
}
