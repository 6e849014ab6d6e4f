/** A kind of Kubernetes object, with all that is needed to build its URL and its RBAC rule without discovery. */
export type Kind = {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
};

export const pods = core('Pod', 'pods', true);
export const namespaces = core('Namespace', 'namespaces', false);
export const nodes = core('Node', 'nodes', false);
export const secrets = core('Secret', 'secrets', true);
export const serviceAccounts = core('ServiceAccount', 'serviceaccounts', true);
export const podTemplates = core('PodTemplate', 'podtemplates', true);
export const configMaps = core('ConfigMap', 'configmaps', true);
export const events: Kind = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  resource: 'events',
  namespaced: true,
};
export const leases: Kind = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  resource: 'leases',
  namespaced: true,
};
/** Served as v1beta1 or v1alpha1 by most clusters, or not at all. */
export const clusterTrustBundles: Kind = {
  group: 'certificates.k8s.io',
  version: 'v1',
  kind: 'ClusterTrustBundle',
  resource: 'clustertrustbundles',
  namespaced: false,
};
export const mutatingWebhooks = admission('MutatingWebhookConfiguration');
export const validatingWebhooks = admission('ValidatingWebhookConfiguration');

export function apiVersion({ group, version }: Pick<Kind, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

function core(kind: string, resource: string, namespaced: boolean): Kind {
  return { group: '', version: 'v1', kind, resource, namespaced };
}

function admission(kind: string): Kind {
  return {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind,
    resource: `${kind.toLowerCase()}s`,
    namespaced: false,
  };
}
