/** Where a resource is served, so that a case can say `POST pods`. */
const namespaced = {
  v1: {
    configmaps: 'ConfigMap',
    endpoints: 'Endpoints',
    events: 'Event',
    limitranges: 'LimitRange',
    persistentvolumeclaims: 'PersistentVolumeClaim',
    pods: 'Pod',
    podtemplates: 'PodTemplate',
    replicationcontrollers: 'ReplicationController',
    resourcequotas: 'ResourceQuota',
    secrets: 'Secret',
    serviceaccounts: 'ServiceAccount',
    services: 'Service',
  },
  'apps/v1': {
    controllerrevisions: 'ControllerRevision',
    daemonsets: 'DaemonSet',
    deployments: 'Deployment',
    replicasets: 'ReplicaSet',
    statefulsets: 'StatefulSet',
  },
  'authorization.k8s.io/v1': { localsubjectaccessreviews: 'LocalSubjectAccessReview' },
  'autoscaling/v2': { horizontalpodautoscalers: 'HorizontalPodAutoscaler' },
  'batch/v1': { cronjobs: 'CronJob', jobs: 'Job' },
  'coordination.k8s.io/v1': { leases: 'Lease' },
  'discovery.k8s.io/v1': { endpointslices: 'EndpointSlice' },
  'networking.k8s.io/v1': { ingresses: 'Ingress', networkpolicies: 'NetworkPolicy' },
  'policy/v1': { poddisruptionbudgets: 'PodDisruptionBudget' },
  'rbac.authorization.k8s.io/v1': { rolebindings: 'RoleBinding', roles: 'Role' },
} as const;

const clusterWide = {
  v1: { namespaces: 'Namespace', nodes: 'Node', persistentvolumes: 'PersistentVolume' },
  'admissionregistration.k8s.io/v1': {
    mutatingwebhookconfigurations: 'MutatingWebhookConfiguration',
    validatingadmissionpolicies: 'ValidatingAdmissionPolicy',
    validatingwebhookconfigurations: 'ValidatingWebhookConfiguration',
  },
  'apiextensions.k8s.io/v1': { customresourcedefinitions: 'CustomResourceDefinition' },
  'apiregistration.k8s.io/v1': { apiservices: 'APIService' },
  'authentication.k8s.io/v1': {
    selfsubjectreviews: 'SelfSubjectReview',
    tokenreviews: 'TokenReview',
  },
  'authorization.k8s.io/v1': {
    selfsubjectaccessreviews: 'SelfSubjectAccessReview',
    selfsubjectrulesreviews: 'SelfSubjectRulesReview',
    subjectaccessreviews: 'SubjectAccessReview',
  },
  'certificates.k8s.io/v1': { certificatesigningrequests: 'CertificateSigningRequest' },
  'networking.k8s.io/v1': { ingressclasses: 'IngressClass' },
  'rbac.authorization.k8s.io/v1': {
    clusterrolebindings: 'ClusterRoleBinding',
    clusterroles: 'ClusterRole',
  },
  'scheduling.k8s.io/v1': { priorityclasses: 'PriorityClass' },
  'storage.k8s.io/v1': { storageclasses: 'StorageClass' },
} as const;

type Home = { readonly apiVersion: string; readonly kind: string; readonly isNamespaced: boolean };

const homes = new Map([...homesOf(namespaced, true), ...homesOf(clusterWide, false)]);

function homesOf(table: Readonly<Record<string, Readonly<Record<string, string>>>>, is: boolean) {
  return Object.entries(table).flatMap(([apiVersion, kinds]) =>
    Object.entries(kinds).map(([resource, kind]): [string, Home] => [
      resource,
      { apiVersion, kind, isNamespaced: is },
    ]),
  );
}

/** `pods/a?dryRun=All` in the namespace of the case; what begins with a slash is a path already. */
export function pathOf(address: string, namespace: string): string {
  if (address.startsWith('/')) return address;
  const home = homeOf(address);
  if (home === undefined) throw new Error(`no resource of the table: ${address}`);
  const root = home.apiVersion === 'v1' ? '/api/v1' : `/apis/${home.apiVersion}`;
  return `${root}${home.isNamespaced ? `/namespaces/${namespace}` : ''}/${address}`;
}

/** What an object must say of itself that is sent there; nothing for a subresource or a path. */
export function selfOf(address: string): Pick<Home, 'apiVersion' | 'kind'> | undefined {
  const home = homeOf(address);
  if (home === undefined || address.split('?')[0]?.split('/')[2] !== undefined) return undefined;
  return { apiVersion: home.apiVersion, kind: home.kind };
}

function homeOf(address: string): Home | undefined {
  return homes.get(/^[a-z]*/.exec(address)?.[0] ?? '');
}
