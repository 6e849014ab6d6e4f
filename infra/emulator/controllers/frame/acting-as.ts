import type { Session } from '#shared/adapters/cluster/login.ts';
import type { ControllerName } from './controller.ts';

const accounts = 'system:serviceaccount:kube-system';

/** As whom a real cluster has it done: webhooks are told, and may go by it. A kubelet is its node. */
const users: Readonly<Partial<Record<ControllerName, string>>> = {
  namespaces: `${accounts}:namespace-controller`,
  garbage: `${accounts}:generic-garbage-collector`,
  accounts: `${accounts}:service-account-controller`,
  'account-tokens': 'system:kube-controller-manager',
  endpoints: `${accounts}:endpointslice-controller`,
  'endpoint-mirror': `${accounts}:endpointslicemirroring-controller`,
  disruption: `${accounts}:disruption-controller`,
  'cluster-roles': `${accounts}:clusterrole-aggregation-controller`,
  deployments: `${accounts}:deployment-controller`,
  'replica-sets': `${accounts}:replicaset-controller`,
  'replication-controllers': `${accounts}:replication-controller`,
  'stateful-sets': `${accounts}:statefulset-controller`,
  'daemon-sets': `${accounts}:daemon-set-controller`,
  jobs: `${accounts}:job-controller`,
  'cron-jobs': `${accounts}:cronjob-controller`,
  scheduler: 'system:kube-scheduler',
  'taint-evictions': `${accounts}:node-controller`,
  'lost-pods': `${accounts}:pod-garbage-collector`,
  'volume-protection': `${accounts}:pvc-protection-controller`,
};

/** With all rights beside its own: what these small ones ask for is not what the roles of the real ones allow. */
export function actingAs(session: Session, name: ControllerName): Session {
  const user = users[name];
  if (user === undefined) return session;
  const own = user.startsWith(accounts)
    ? ['system:serviceaccounts', 'system:serviceaccounts:kube-system']
    : [];
  const acting = {
    'impersonate-user': user,
    'impersonate-group': [...own, 'system:authenticated', 'system:masters'],
  };
  return {
    ...session,
    async options() {
      const options = await session.options();
      return { ...options, headers: { ...options.headers, ...acting } };
    },
  };
}
