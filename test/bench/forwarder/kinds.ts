import { configMaps, events, type Kind, nodes, pods } from '#shared/domain/kind.ts';

const services = core('Service', 'services');
const serviceAccounts = core('ServiceAccount', 'serviceaccounts');
const deployments = app('Deployment');
const replicaSets = app('ReplicaSet');
const statefulSets = app('StatefulSet');
const daemonSets = app('DaemonSet');
/** Ten kinds of one cluster; none that a function of our own lists. */
export const kinds: readonly [Kind, ...Kind[]] = [
  ...([pods, configMaps, nodes, services, serviceAccounts, deployments] as const),
  ...([replicaSets, statefulSets, daemonSets, events] as const),
];

function core(kind: string, resource: string): Kind {
  return { group: '', version: 'v1', kind, resource, namespaced: true };
}

function app(kind: string): Kind {
  const resource = `${kind.toLowerCase()}s`;
  return { group: 'apps', version: 'v1', kind, resource, namespaced: true };
}
