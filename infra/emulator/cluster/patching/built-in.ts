/** The groups that Kubernetes itself serves: only their types have Go's blank fields and strategic merge. */
const groups = new Set([
  '',
  'apps',
  'autoscaling',
  'batch',
  'policy',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);

export function isBuiltIn(apiVersion: string): boolean {
  const [group, version] = apiVersion.split('/');
  return groups.has(version === undefined ? '' : (group ?? ''));
}
