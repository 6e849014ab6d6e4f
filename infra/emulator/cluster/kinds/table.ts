import { admissionPolicy, admissionPolicyBinding } from './access/admission-policy.ts';
import { apiService } from './access/api-service.ts';
import { event } from './access/event.ts';
import { lease } from './access/lease.ts';
import { clusterRole, clusterRoleBinding, role, roleBinding } from './access/roles.ts';
import { signingRequest } from './access/signing-request.ts';
import { trustBundle } from './access/trust-bundle.ts';
import { mutating, validating } from './access/webhooks.ts';
import type { KindRules } from './kind-rules.ts';
import { endpointSlice, endpoints } from './network/endpoints.ts';
import { ingress, ingressClass } from './network/ingress.ts';
import { networkPolicy } from './network/policy.ts';
import { service } from './network/service.ts';
import { pod } from './pods/pod.ts';
import { podTemplates } from './pods/pod-template.ts';
import { namespace } from './settings/namespace.ts';
import { node } from './settings/node.ts';
import { priorityClass } from './settings/priority-class.ts';
import { limitRange, resourceQuota } from './settings/quota.ts';
import { configMap, secret } from './settings/secret.ts';
import { serviceAccount } from './settings/service-account.ts';
import { claim } from './storage/claim.ts';
import { storageClass, volume } from './storage/storage-class.ts';
import { autoscaler } from './workloads/autoscaler.ts';
import { budget } from './workloads/budget.ts';
import { controllerRevision } from './workloads/controller-revision.ts';
import { cronJob } from './workloads/cron-job.ts';
import { daemonSet } from './workloads/daemon-set.ts';
import { deployment } from './workloads/deployment.ts';
import { job } from './workloads/job.ts';
import { replicaSet, replicationController } from './workloads/replica-set.ts';
import { statefulSet } from './workloads/stateful-set.ts';

/** By resource and group. */
export const table: Readonly<Record<string, KindRules>> = {
  pods: pod,
  services: service,
  endpoints,
  namespaces: namespace,
  nodes: node,
  secrets: secret,
  configmaps: configMap,
  serviceaccounts: serviceAccount,
  persistentvolumeclaims: claim,
  persistentvolumes: volume,
  resourcequotas: resourceQuota,
  limitranges: limitRange,
  replicationcontrollers: replicationController,
  podtemplates: podTemplates,
  events: event,
  'events.events.k8s.io': event,
  'deployments.apps': deployment,
  'replicasets.apps': replicaSet,
  'statefulsets.apps': statefulSet,
  'daemonsets.apps': daemonSet,
  'controllerrevisions.apps': controllerRevision,
  'jobs.batch': job,
  'cronjobs.batch': cronJob,
  'endpointslices.discovery.k8s.io': endpointSlice,
  'ingresses.networking.k8s.io': ingress,
  'ingressclasses.networking.k8s.io': ingressClass,
  'networkpolicies.networking.k8s.io': networkPolicy,
  'poddisruptionbudgets.policy': budget,
  'horizontalpodautoscalers.autoscaling': autoscaler,
  'priorityclasses.scheduling.k8s.io': priorityClass,
  'storageclasses.storage.k8s.io': storageClass,
  'roles.rbac.authorization.k8s.io': role,
  'clusterroles.rbac.authorization.k8s.io': clusterRole,
  'rolebindings.rbac.authorization.k8s.io': roleBinding,
  'clusterrolebindings.rbac.authorization.k8s.io': clusterRoleBinding,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': validating,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': mutating,
  'validatingadmissionpolicies.admissionregistration.k8s.io': admissionPolicy,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': admissionPolicyBinding,
  'apiservices.apiregistration.k8s.io': apiService,
  'leases.coordination.k8s.io': lease,
  'clustertrustbundles.certificates.k8s.io': trustBundle,
  'certificatesigningrequests.certificates.k8s.io': signingRequest,
};
