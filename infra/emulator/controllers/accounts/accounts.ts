import { sameJson } from '#shared/domain/json.ts';
import { done, type Outcome } from '#shared/domain/outcome.ts';
import { accountOf } from '../frame/acting-as.ts';
import { outcomeOfAll, type Written } from '../frame/api.ts';
import { type Controller, type World, wake } from '../frame/controller.ts';
import { configMaps, namespaces, serviceAccounts } from '../shapes/kinds.ts';
import { isLeaving, placeOf, type Thing } from '../shapes/meta.ts';

const account = 'default';
const bundle = 'kube-root-ca.crt';
const whyKey = 'kubernetes.io/description';

/** Gives each namespace what its pods need to speak with the API server: an account, and the server's authority. */
export const accountController: Controller = {
  name: 'accounts',
  wakes: [
    wake(namespaces, (namespace) => [placeOf(namespace)]),
    { kind: serviceAccounts, metadataOnly: true, places: (each) => namespaceOf(each, account) },
    { kind: configMaps, metadataOnly: true, places: (each) => namespaceOf(each, bundle) },
  ],
  async reconcile(place, world) {
    const namespace = world.shelf(namespaces).find(place);
    if (namespace === undefined || isLeaving(namespace)) return done;
    return equip(namespace.metadata.name, world);
  },
};

function namespaceOf({ metadata }: Thing, name: string): readonly string[] {
  return metadata.name === name ? [`/${metadata.namespace ?? ''}`] : [];
}

async function equip(namespace: string, world: World): Promise<Outcome> {
  const missing = [
    ...(has(world, serviceAccounts, `${namespace}/${account}`)
      ? []
      : [world.api.create(serviceAccounts, { metadata: { namespace, name: account } })]),
    ...(has(world, configMaps, `${namespace}/${bundle}`)
      ? [restored(namespace, world)]
      : [publisher(world).api.create(configMaps, bundleIn(namespace, world.rootCa))]),
  ];
  const written = await Promise.all(missing);
  // Somebody else has made it: as good as we.
  const failed = written.filter((each) => each?.kind === 'refused');
  return outcomeOfAll(failed.filter((each) => each !== undefined));
}

function publisher(world: World): World {
  return world.as(accountOf('root-ca-cert-publisher'));
}

/** Of all ConfigMaps nobody follows more than the metadata: this one is looked at when it has changed. */
async function restored(namespace: string, world: World): Promise<Written | undefined> {
  const target = { kind: configMaps, namespace, name: bundle };
  const known = await world.findLive(target);
  if (known === undefined) return undefined;
  const { data, metadata } = bundleIn(namespace, world.rootCa);
  const isKept = sameJson(known['data'] ?? {}, data) && known.metadata.annotations?.[whyKey];
  if (isKept) return undefined;
  const annotations = { ...known.metadata.annotations, ...metadata.annotations };
  return publisher(world).api.replace(target, {
    ...known,
    metadata: { ...known.metadata, annotations },
    data,
  });
}

function has(world: World, kind: typeof configMaps, place: string): boolean {
  return world.metadataOf(kind).find(place) !== undefined;
}

function bundleIn(namespace: string, rootCa: string) {
  const why =
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';
  return {
    metadata: { namespace, name: bundle, annotations: { [whyKey]: why } },
    data: { 'ca.crt': rootCa },
  };
}
