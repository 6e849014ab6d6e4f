import type { KubeObject } from '#shared/domain/kube-object.ts';
import { accountManifests, admissionRights } from './accounts.ts';
import { configMap } from './configuration.ts';
import { admissionDeployment, disruptionBudget, priorityClass } from './deployments.ts';
import { isDedicated } from './fail-closed.ts';
import { issuedCertificate } from './issued-certificate.ts';
import { manifest } from './manifest.ts';
import { networkPolicies, services } from './network.ts';
import type { Plan } from './plan.ts';
import { webhookManifests } from './webhooks.ts';

/** Everything that a cluster needs to run Gatehouse by itself. */
export function kubernetesManifests(plan: Plan): readonly KubeObject[] {
  return [
    ...namespaceOf(plan),
    priorityClass,
    ...accountManifests('admission', admissionRights(plan), plan),
    configMap(plan.settings),
    ...issuedCertificate(plan),
    ...networkPolicies(plan),
    disruptionBudget('admission', plan),
    ...services(plan),
    admissionDeployment(plan),
    ...webhookManifests(plan),
  ];
}

/** A cluster has them from its first day on. */
const always = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** Those that something is put into and nobody here makes: somebody else's, whom our deletion must not cost his. */
export function namespacesNeeded(manifests: readonly KubeObject[]): readonly string[] {
  const made = manifests.flatMap(({ kind, metadata }) =>
    kind === 'Namespace' ? (metadata.name ?? []) : [],
  );
  const used = manifests.flatMap(({ metadata }) => metadata.namespace ?? []);
  return [...new Set(used)].filter((name) => ![...always, ...made].includes(name)).toSorted();
}

/** One that others share is theirs to make and to label. */
export function namespaceOf({ settings }: Plan): readonly KubeObject[] {
  const { namespace } = settings.installation;
  if (!isDedicated(namespace)) return [];
  return [
    manifest({
      apiVersion: 'v1',
      kind: 'Namespace',
      name: namespace,
      labels: { 'pod-security.kubernetes.io/enforce': 'restricted' },
    }),
  ];
}
