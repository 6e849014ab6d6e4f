import * as known from '#shared/domain/kind.ts';
import type { CronJob, Job } from './batch.ts';
import type { Thing } from './meta.ts';
import type { Pod } from './pod.ts';
import type {
  Budget,
  ClusterRole,
  EndpointSlice,
  Endpoints,
  Namespace,
  Node,
  PersistentVolume,
  Secret,
  Service,
  TrustBundle,
} from './surroundings.ts';
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from './workload.ts';

type Kind = known.Kind;

/** A kind together with the type of its objects, which is nowhere but in the compiler. */
export type KindOf<T extends Thing> = Kind & { readonly shape?: (object: T) => void };

export const pods: KindOf<Pod> = known.pods;
export const namespaces: KindOf<Namespace> = known.namespaces;
export const nodes: KindOf<Node> = known.nodes;
export const secrets: KindOf<Secret> = known.secrets;
export const configMaps: KindOf<Thing> = known.configMaps;
export const leases: KindOf<Thing> = known.leases;

export const volumeClaims = of<Thing>('', 'PersistentVolumeClaim', 'persistentvolumeclaims');
export const volumes: KindOf<PersistentVolume> = {
  ...of<PersistentVolume>('', 'PersistentVolume', 'persistentvolumes'),
  namespaced: false,
};
export const services = of<Service>('', 'Service', 'services');
export const endpoints = of<Endpoints>('', 'Endpoints', 'endpoints');
export const serviceAccounts = of<Thing>('', 'ServiceAccount', 'serviceaccounts');
export const endpointSlices = of<EndpointSlice>(
  'discovery.k8s.io',
  'EndpointSlice',
  'endpointslices',
);
export const deployments = of<Deployment>('apps', 'Deployment', 'deployments');
export const replicaSets = of<ReplicaSet>('apps', 'ReplicaSet', 'replicasets');
export const replicationControllers = of<ReplicationController>(
  '',
  'ReplicationController',
  'replicationcontrollers',
);
export const statefulSets = of<StatefulSet>('apps', 'StatefulSet', 'statefulsets');
export const daemonSets = of<DaemonSet>('apps', 'DaemonSet', 'daemonsets');
export const controllerRevisions = of<ControllerRevision>(
  'apps',
  'ControllerRevision',
  'controllerrevisions',
);
export const jobs = of<Job>('batch', 'Job', 'jobs');
export const cronJobs = of<CronJob>('batch', 'CronJob', 'cronjobs');
export const budgets = of<Budget>('policy', 'PodDisruptionBudget', 'poddisruptionbudgets');

export const clusterRoles: KindOf<ClusterRole> = {
  ...of<ClusterRole>('rbac.authorization.k8s.io', 'ClusterRole', 'clusterroles'),
  namespaced: false,
};

/** Served only where its feature is on. */
export const trustBundles: KindOf<TrustBundle> = {
  ...of<TrustBundle>('certificates.k8s.io', 'ClusterTrustBundle', 'clustertrustbundles'),
  version: 'v1beta1',
  namespaced: false,
};

export const customKinds: KindOf<Thing> = {
  ...of<Thing>('apiextensions.k8s.io', 'CustomResourceDefinition', 'customresourcedefinitions'),
  namespaced: false,
};

export const apiServices: KindOf<Thing> = {
  ...of<Thing>('apiregistration.k8s.io', 'APIService', 'apiservices'),
  namespaced: false,
};

/** `deployments.apps` */
export function nameOfKind({ group, resource }: Pick<Kind, 'group' | 'resource'>): string {
  return group === '' ? resource : `${resource}.${group}`;
}

function of<T extends Thing>(group: string, kind: string, resource: string): KindOf<T> {
  return { group, version: 'v1', kind, resource, namespaced: true };
}
