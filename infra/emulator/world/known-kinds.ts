import { type Definition, watchesOf } from '#shared/define.ts';
import { isJsonObject, isList, type JsonObject } from '#shared/domain/json.ts';
import * as kinds from '#shared/domain/kind.ts';
import { apiVersion, type Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';

/** Which kinds there are: those of Kubernetes that functions meet most, those that the functions name, and what CRDs add. */
export type KnownKinds = {
  all(): readonly Kind[];
  /** Short names and singular, where it has more than the usual. */
  add(kind: Kind, calledToo?: readonly string[]): void;
  remove(kind: Kind): void;
  /** Of what is written down with `apiVersion` and `kind`; a kind that nobody named is guessed. */
  of(object: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>): Kind;
  /** By `Pod`, `pod`, `pods`, `po`, `deployments.apps`. */
  named(name: string): Kind | undefined;
  at(group: string, resource: string): Kind | undefined;
};

export function knownKinds(definitions: readonly Definition[]): KnownKinds {
  const known = new Map<string, Kind>();
  const nicknames = new Map<string, readonly string[]>();
  const add = (kind: Kind, calledToo?: readonly string[]) => {
    known.set(`${kind.group}/${kind.resource}`, kind);
    if (calledToo !== undefined) nicknames.set(idOf(kind), calledToo);
  };
  for (const kind of [...common, ...definitions.flatMap(namedBy)]) add(kind);
  const all = () => [...known.values()];
  return {
    all,
    add,
    remove: ({ group, resource }) => void known.delete(`${group}/${resource}`),
    of(object) {
      const found = all().find(
        (kind) => kind.kind === object.kind && groupIn(object) === kind.group,
      );
      if (found !== undefined) return found;
      const guess = guessed(object);
      add(guess);
      return guess;
    },
    named: (name) =>
      all().find((kind) => isCalled(kind, name)) ??
      all().find((kind) => nicknames.get(idOf(kind))?.includes(name)),
    at: (group, resource) => known.get(`${group}/${resource}`),
  };
}

/** What a CustomResourceDefinition defines. */
export function definedBy(object: KubeObject): Kind | undefined {
  const { spec } = object;
  if (object.kind !== 'CustomResourceDefinition' || !isJsonObject(spec)) return undefined;
  const names: JsonObject = isJsonObject(spec['names']) ? spec['names'] : {};
  const versions = isList(spec['versions']) ? spec['versions'].filter(isJsonObject) : [];
  return {
    group: String(spec['group']),
    version: String(versions.find(({ served }) => served !== false)?.['name'] ?? 'v1'),
    kind: String(names['kind']),
    resource: String(names['plural']),
    namespaced: spec['scope'] === 'Namespaced',
  };
}

/** How kubectl may call them beside their plural and kind. */
export function nicknamesIn({ spec }: KubeObject): readonly string[] {
  const names = isJsonObject(spec) && isJsonObject(spec['names']) ? spec['names'] : {};
  const short = isList(names['shortNames']) ? names['shortNames'] : [];
  return [...short, names['singular']].filter((each) => typeof each === 'string');
}

const { pods, namespaces, nodes, secrets, configMaps, events, leases } = kinds;

const common: readonly Kind[] = [
  ...[pods, namespaces, nodes, secrets, configMaps, events, leases],
  ...[kinds.mutatingWebhooks, kinds.validatingWebhooks, kinds.clusterTrustBundles],
  made('', 'Service', 'services'),
  made('', 'ServiceAccount', 'serviceaccounts'),
  made('apps', 'Deployment', 'deployments'),
  made('apps', 'ReplicaSet', 'replicasets'),
  made('apps', 'StatefulSet', 'statefulsets'),
  made('apps', 'DaemonSet', 'daemonsets'),
  made('batch', 'Job', 'jobs'),
  made('batch', 'CronJob', 'cronjobs'),
  made('policy', 'PodDisruptionBudget', 'poddisruptionbudgets'),
  made('networking.k8s.io', 'NetworkPolicy', 'networkpolicies'),
  {
    ...made('apiextensions.k8s.io', 'CustomResourceDefinition', 'customresourcedefinitions'),
    namespaced: false,
  },
];

function made(group: string, kind: string, resource: string): Kind {
  return { group, version: 'v1', kind, resource, namespaced: true };
}

function namedBy(definition: Definition): readonly Kind[] {
  const { access = [], reads = [] } = definition;
  const watched = definition.shape === 'reconcile' ? watchesOf(definition.trigger) : [];
  return [
    ...access.map(({ kind }) => kind),
    ...reads,
    ...watched.flatMap(({ of, wakes }) => [
      of,
      ...(wakes === undefined ? [] : ['owner' in wakes ? wakes.owner : wakes.all]),
    ]),
  ];
}

function groupIn({ apiVersion: stated }: Pick<KubeObject, 'apiVersion'>): string {
  return stated.includes('/') ? (stated.split('/')[0] ?? '') : '';
}

function guessed({ apiVersion: stated, kind, metadata }: Parameters<KnownKinds['of']>[0]): Kind {
  const version = stated.split('/').at(-1) ?? 'v1';
  const lower = kind.toLowerCase();
  const resource = /(s|x|ch)$/.test(lower)
    ? `${lower}es`
    : lower.endsWith('y')
      ? `${lower.slice(0, -1)}ies`
      : `${lower}s`;
  const namespaced = metadata.namespace !== undefined;
  return { group: groupIn({ apiVersion: stated }), version, kind, resource, namespaced };
}

function isCalled(kind: Kind, name: string): boolean {
  const full = idOf(kind);
  const names = [kind.kind, kind.kind.toLowerCase(), kind.resource, full];
  return names.includes(name) || shortNames.get(name) === full;
}

const shortNames: ReadonlyMap<string, string> = new Map([
  ['po', 'pods'],
  ['ns', 'namespaces'],
  ['no', 'nodes'],
  ['cm', 'configmaps'],
  ['ev', 'events'],
  ['svc', 'services'],
  ['sa', 'serviceaccounts'],
  ['deploy', 'deployments.apps'],
  ['rs', 'replicasets.apps'],
  ['sts', 'statefulsets.apps'],
  ['ds', 'daemonsets.apps'],
  ['cj', 'cronjobs.batch'],
  ['pdb', 'poddisruptionbudgets.policy'],
  ['netpol', 'networkpolicies.networking.k8s.io'],
  ['crd', 'customresourcedefinitions.apiextensions.k8s.io'],
  ['crds', 'customresourcedefinitions.apiextensions.k8s.io'],
]);

export function idOf({ group, resource }: Pick<Kind, 'group' | 'resource'>): string {
  return group === '' ? resource : `${resource}.${group}`;
}

export function typed(kind: Kind): { readonly apiVersion: string; readonly kind: string } {
  return { apiVersion: apiVersion(kind), kind: kind.kind };
}
