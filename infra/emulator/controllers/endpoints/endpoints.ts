import { sameJson } from '#shared/domain/json.ts';
import { done, later, type Outcome } from '#shared/domain/outcome.ts';
import { matchesLabels } from '#shared/domain/selector.ts';
import { accountOf } from '../frame/acting-as.ts';
import { outcomeOf, outcomeOfAll, type Written } from '../frame/api.ts';
import { type Controller, targetOf, type World, wake } from '../frame/controller.ts';
import { ownerReference } from '../owning/claim.ts';
import { controllerPlaces } from '../owning/claimed.ts';
import { endpointSlices, endpoints, nodes, pods, services } from '../shapes/kinds.ts';
import { isLeaving, type Labels, placeOf, type Thing } from '../shapes/meta.ts';
import type { Pod } from '../shapes/pod.ts';
import type { EndpointSlice, Service } from '../shapes/surroundings.ts';
import {
  type Backend,
  backendsOf,
  isSomewhere,
  type Slice,
  slicesOf,
  subsetsOf,
} from './plan-endpoints.ts';
import { openTriggerTimes } from './trigger-times.ts';

const managedBy = 'endpointslice-controller.k8s.io';
const managedByKey = 'endpointslice.kubernetes.io/managed-by';
const olderManagedBy = 'endpoint-controller';
const olderManagedByKey = 'endpoints.kubernetes.io/managed-by';
const headlessKey = 'service.kubernetes.io/headless';
const serviceKey = 'kubernetes.io/service-name';
const triggered = 'endpoints.kubernetes.io/last-change-trigger-time';

/** Says where each service's pods are, in the old way (Endpoints) and in the new one (EndpointSlices). */
export function endpointController(): Controller {
  const times = openTriggerTimes();
  return {
    name: 'endpoints',
    // Pods come and go in crowds; a service of a thousand is not written a thousand times.
    settleMs: 20,
    wakes: [
      wake(services, (service) => [placeOf(service)]),
      wake(pods, servicesOf),
      wake(endpointSlices, controllerPlaces('Service')),
      wake(endpoints, (object) => [placeOf(object)]),
    ],
    reads: [nodes],
    async reconcile(place, world) {
      const service = world.shelf(services).find(place);
      if (service === undefined) return removeEndpoints(place, times.forget(place), world);
      const selected = podsOf(service, world);
      const triggerTime = times.look(service, selected);
      if (!isOurs(service) || isLeaving(service)) return done;
      const findNode = (name: string) => world.shelf(nodes).find(`/${name}`);
      const backends = backendsOf(service, selected, findNode);
      const facts = { service, backends, triggerTime };
      const written = [await stateEndpoints(facts, world), ...(await stateSlices(facts, world))];
      const outcome = outcomeOfAll(written.filter((each) => each !== undefined));
      // A node that is not known yet wakes nobody.
      const isWhole = backends.every((each) => isSomewhere(service, each));
      return outcome.kind === 'done' && !isWhole ? later(1) : outcome;
    },
  };
}

type Facts = {
  readonly service: Service;
  readonly backends: readonly Backend[];
  readonly triggerTime: string | undefined;
};

/** Those of a service without a selector are somebody's own. */
function isOurs({ spec }: Service): boolean {
  return spec.selector !== undefined && spec.type !== 'ExternalName';
}

function podsOf({ metadata, spec }: Service, world: World): readonly Pod[] {
  const { selector } = spec;
  if (selector === undefined) return [];
  return [...world.shelf(pods).list(metadata.namespace ?? '')].filter((pod) =>
    matchesLabels({ matchLabels: selector }, pod.metadata.labels ?? {}),
  );
}

function servicesOf(pod: Pod, world: World): readonly string[] {
  const labels = pod.metadata.labels;
  if (labels === undefined) return [];
  return [...world.shelf(services).list(pod.metadata.namespace ?? '')]
    .filter(({ spec }) => {
      return spec.selector !== undefined && matchesLabels({ matchLabels: spec.selector }, labels);
    })
    .map(placeOf);
}

/** The old way is another's. */
function older(world: World): World {
  return world.as(accountOf('endpoint-controller'));
}

/** Whose ever they are, when their service goes; without one that was, only those that we have made. */
async function removeEndpoints(place: string, wasSeen: boolean, world: World): Promise<Outcome> {
  const known = world.shelf(endpoints).find(place);
  if (known === undefined || isLeaving(known)) return done;
  if (!wasSeen && known.metadata.labels?.[olderManagedByKey] !== olderManagedBy) return done;
  const { uid } = known.metadata;
  return outcomeOf(await older(world).api.remove(targetOf(endpoints, known), { uid }));
}

async function stateEndpoints(facts: Facts, world: World): Promise<Written | undefined> {
  const { service, backends } = facts;
  const subsets = subsetsOf(service, backends);
  const own = { [olderManagedByKey]: olderManagedBy };
  const labels = labelsOf(service, own);
  const known = world.shelf(endpoints).find(placeOf(service));
  if (known === undefined) {
    const { name, namespace = '' } = service.metadata;
    const metadata = { name, namespace, ...metadataOf(facts, labels) };
    return older(world).api.create(endpoints, { metadata, subsets });
  }
  const isSame = sameJson(known.subsets ?? [], subsets);
  if (isSame && sameJson(known.metadata.labels ?? {}, labels)) return undefined;
  const body = { metadata: metadataOf(facts, labels, known), subsets };
  return older(world).api.update(targetOf(endpoints, known), known, body);
}

function labelsOf({ metadata, spec }: Service, own: Labels): Labels {
  const { clusterIP = '' } = spec;
  const { [headlessKey]: _, ...labels } = metadata.labels ?? {};
  const isHeadless = clusterIP === '' || clusterIP === 'None';
  return { ...labels, ...(isHeadless && { [headlessKey]: '' }), ...own };
}

/** What is not there any more is taken away. */
function metadataOf({ triggerTime }: Facts, labels: Labels, known?: Thing) {
  if (known === undefined) {
    return { labels, ...(triggerTime && { annotations: { [triggered]: triggerTime } }) };
  }
  const gone = Object.keys(known.metadata.labels ?? {}).filter((key) => !(key in labels));
  return {
    labels: { ...Object.fromEntries(gone.map((key) => [key, null])), ...labels },
    annotations: { [triggered]: triggerTime ?? null },
  };
}

/** Each slice that is there takes up the next content; what is left over of either is made or removed. */
async function stateSlices(facts: Facts, world: World): Promise<readonly (Written | undefined)[]> {
  const { service, backends } = facts;
  const own = [...world.shelf(endpointSlices).ownedBy(service.metadata.uid)]
    .filter((each) => each.metadata.labels?.[managedByKey] === managedBy && !isLeaving(each))
    .toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  // One without endpoints says that the service is known and has none.
  const [first = { ports: [], endpoints: [] }, ...others] = slicesOf(service, backends);
  const wanted = [first, ...others];
  const kept = wanted.map((slice, at) => stateSlice(facts, { slice, known: own[at] }, world));
  const removed = own.slice(wanted.length).map((each) => {
    return world.api.remove(targetOf(endpointSlices, each), { uid: each.metadata.uid });
  });
  return Promise.all([...kept, ...removed]);
}

type Stating = { readonly slice: Slice; readonly known: EndpointSlice | undefined };

async function stateSlice(
  facts: Facts,
  { slice, known }: Stating,
  world: World,
): Promise<Written | undefined> {
  const { service } = facts;
  const { name, namespace = '' } = service.metadata;
  const labels = labelsOf(service, { [serviceKey]: name, [managedByKey]: managedBy });
  if (known === undefined) {
    const metadata = {
      generateName: `${name}-`,
      namespace,
      ...metadataOf(facts, labels),
      ownerReferences: [ownerReference(service)],
    };
    return world.api.create(endpointSlices, { metadata, addressType: 'IPv4', ...slice });
  }
  const isSame =
    sameJson(known.endpoints ?? [], slice.endpoints) &&
    sameJson(known.ports ?? [], slice.ports) &&
    sameJson(known.metadata.labels ?? {}, labels);
  if (isSame) return undefined;
  const body = { metadata: metadataOf(facts, labels, known), ...slice };
  return world.api.update(targetOf(endpointSlices, known), known, body);
}
