import { sameJson } from '#shared/domain/json.ts';
import { done, type Outcome } from '#shared/domain/outcome.ts';
import { matchesLabels } from '#shared/domain/selector.ts';
import { outcomeOf, outcomeOfAll, type Written } from '../frame/api.ts';
import { type Controller, targetOf, type World, wake } from '../frame/controller.ts';
import { ownerReference } from '../owning/claim.ts';
import { controllerPlaces } from '../owning/claimed.ts';
import { endpointSlices, endpoints, pods, services } from '../shapes/kinds.ts';
import { isLeaving, placeOf } from '../shapes/meta.ts';
import type { Pod } from '../shapes/pod.ts';
import type { EndpointSlice, Service } from '../shapes/surroundings.ts';
import { type Backend, backendsOf, type Slice, slicesOf, subsetsOf } from './plan-endpoints.ts';

const managedBy = 'endpointslice-controller.k8s.io';
const managedByKey = 'endpointslice.kubernetes.io/managed-by';
const headlessKey = 'service.kubernetes.io/headless';

/** Says where each service's pods are, in the old way (Endpoints) and in the new one (EndpointSlices). */
export const endpointController: Controller = {
  name: 'endpoints',
  // Pods come and go in crowds; a service of a thousand is not written a thousand times.
  settleMs: 20,
  wakes: [
    wake(services, (service) => [placeOf(service)]),
    wake(pods, servicesOf),
    wake(endpointSlices, controllerPlaces('Service')),
    wake(endpoints, (object) => [placeOf(object)]),
  ],
  async reconcile(place, world) {
    const service = world.shelf(services).find(place);
    // Those of a service without a selector are somebody's own; those of one that is gone go with it.
    if (service === undefined) return removeEndpoints(place, world);
    if (service.spec.selector === undefined || isLeaving(service)) return done;
    const candidates = world.shelf(pods).list(service.metadata.namespace ?? '');
    const backends = backendsOf(service, candidates);
    const written = [
      await stateEndpoints(service, backends, world),
      ...(await stateSlices(service, backends, world)),
    ];
    return outcomeOfAll(written.filter((each) => each !== undefined));
  },
};

function servicesOf(pod: Pod, world: World): readonly string[] {
  const labels = pod.metadata.labels;
  if (labels === undefined) return [];
  return [...world.shelf(services).list(pod.metadata.namespace ?? '')]
    .filter(({ spec }) => {
      return spec.selector !== undefined && matchesLabels({ matchLabels: spec.selector }, labels);
    })
    .map(placeOf);
}

const triggered = 'endpoints.kubernetes.io/last-change-trigger-time';

/** Only those that we have made. */
async function removeEndpoints(place: string, world: World): Promise<Outcome> {
  const known = world.shelf(endpoints).find(place);
  if (known?.metadata.annotations?.[triggered] === undefined || isLeaving(known)) return done;
  const { uid } = known.metadata;
  return outcomeOf(await world.api.remove(targetOf(endpoints, known), { uid }));
}

async function stateEndpoints(
  service: Service,
  backends: readonly Backend[],
  world: World,
): Promise<Written | undefined> {
  const subsets = subsetsOf(service, backends);
  const known = world.shelf(endpoints).find(placeOf(service));
  if (known !== undefined && sameJson(known.subsets ?? [], subsets)) return undefined;
  const annotations = { [triggered]: world.now().toISOString() };
  if (known === undefined) {
    const { name, namespace = '', labels = {} } = service.metadata;
    return world.api.create(endpoints, {
      metadata: { name, namespace, labels, annotations },
      subsets,
    });
  }
  const body = { metadata: { annotations }, subsets };
  return world.api.patch(targetOf(endpoints, known), body, known.metadata.resourceVersion);
}

/** Each slice that is there takes up the next content; what is left over of either is made or removed. */
async function stateSlices(
  service: Service,
  backends: readonly Backend[],
  world: World,
): Promise<readonly (Written | undefined)[]> {
  const own = [...world.shelf(endpointSlices).ownedBy(service.metadata.uid)]
    .filter((each) => each.metadata.labels?.[managedByKey] === managedBy && !isLeaving(each))
    .toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  // One without endpoints says that the service is known and has none.
  const [first = { ports: [], endpoints: [] }, ...others] = slicesOf(service, backends);
  const wanted = [first, ...others];
  const kept = wanted.map((slice, at) => stateSlice(service, { slice, known: own[at] }, world));
  const removed = own.slice(wanted.length).map((each) => {
    return world.api.remove(targetOf(endpointSlices, each), { uid: each.metadata.uid });
  });
  return Promise.all([...kept, ...removed]);
}

type Stating = { readonly slice: Slice; readonly known: EndpointSlice | undefined };

async function stateSlice(
  service: Service,
  { slice, known }: Stating,
  world: World,
): Promise<Written | undefined> {
  const { name, namespace = '' } = service.metadata;
  if (known === undefined) {
    const metadata = {
      generateName: `${name}-`,
      namespace,
      labels: labelsOf(service),
      ownerReferences: [ownerReference(service)],
    };
    return world.api.create(endpointSlices, { metadata, addressType: 'IPv4', ...slice });
  }
  const isSame = sameJson(known.endpoints ?? [], slice.endpoints);
  if (isSame && sameJson(known.ports ?? [], slice.ports)) return undefined;
  return world.api.patch(targetOf(endpointSlices, known), slice, known.metadata.resourceVersion);
}

function labelsOf({ metadata, spec }: Service) {
  return {
    ...metadata.labels,
    'kubernetes.io/service-name': metadata.name,
    [managedByKey]: managedBy,
    ...(spec.clusterIP === 'None' && { [headlessKey]: '' }),
  };
}
