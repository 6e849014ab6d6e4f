/** What the emulated server has of the real one's groups; `''` is the core. The order means nothing. */
export const publishedGroups: ReadonlySet<string> = new Set([
  '',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'apps',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
]);

/** What the real server must be told, so that it publishes what is kept here: ClusterTrustBundles of both versions. */
export const publishedBy: readonly string[] = [
  '--feature-gates=ClusterTrustBundle=true',
  '--runtime-config=certificates.k8s.io/v1beta1=true,certificates.k8s.io/v1alpha1=true',
];

/** `apis/apps/v1`, `api`, `version` … as the index of `/openapi/v3` names documents. */
export function isPublished(path: string): boolean {
  const [root, group = ''] = path.split('/');
  return root !== 'apis' || path === 'apis' || publishedGroups.has(group);
}

/** Of a document of OpenAPI v3. */
export function fileOf(path: string): string {
  return `v3.${path.replaceAll('/', '.')}.json`;
}
