import type { Session } from '#shared/adapters/cluster/login.ts';
import type { ControllerName } from './controller.ts';

/** What all of them know comes to this one, as to the informers that the real controllers share. */
export const reader = 'system:kube-controller-manager';

const nodePrefix = 'system:node:';

/** The account of one of the real controllers: its rights are those of its role, `system:controller:NAME`. */
export function accountOf(name: string): string {
  return `system:serviceaccount:kube-system:${name}`;
}

/** The kubelet of that node. */
export function nodeUser(name: string): string {
  return `${nodePrefix}${name}`;
}

/** As whom a real cluster has it done: webhooks are told, and roles and webhooks may go by it. */
export const users: Readonly<Record<ControllerName, string>> = {
  namespaces: accountOf('namespace-controller'),
  garbage: accountOf('generic-garbage-collector'),
  accounts: accountOf('service-account-controller'),
  'account-tokens': 'system:kube-controller-manager',
  endpoints: accountOf('endpointslice-controller'),
  'endpoint-mirror': accountOf('endpointslicemirroring-controller'),
  disruption: accountOf('disruption-controller'),
  'cluster-roles': accountOf('clusterrole-aggregation-controller'),
  deployments: accountOf('deployment-controller'),
  'replica-sets': accountOf('replicaset-controller'),
  'replication-controllers': accountOf('replication-controller'),
  'stateful-sets': accountOf('statefulset-controller'),
  'daemon-sets': accountOf('daemon-set-controller'),
  jobs: accountOf('job-controller'),
  'cron-jobs': accountOf('cronjob-controller'),
  scheduler: 'system:kube-scheduler',
  'taint-evictions': accountOf('node-controller'),
  'lost-pods': accountOf('pod-garbage-collector'),
  'volume-protection': accountOf('pvc-protection-controller'),
  // Of many nodes: each pod and each node is written in the name of its own.
  kubelet: reader,
  'node-leases': reader,
};

/** The groups of an account and of whoever is signed in the server adds. */
export function actingAs(session: Session, user: string): Session {
  const groups = user.startsWith(nodePrefix) ? { 'impersonate-group': 'system:nodes' } : {};
  const acting = { 'impersonate-user': user, ...groups };
  return {
    ...session,
    async options() {
      const options = await session.options();
      return { ...options, headers: { ...options.headers, ...acting } };
    },
  };
}
