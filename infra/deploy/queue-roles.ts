import type { KubeObject } from '#shared/domain/kube-object.ts';
import { accountManifests } from './accounts.ts';
import { databaseUrl, toDatabase } from './database.ts';
import { deployment } from './deployments.ts';
import type { Plan } from './plan.ts';
import { forwarderHeap, oneArena, workerHeap } from './pod.ts';
import { mergeRights, type Right, rightsOf } from './rights.ts';
import { watchRights } from './watch-rights.ts';

export function workerManifests(plan: Plan): readonly KubeObject[] {
  const rights = plan.definitions
    .filter(isReconcile)
    .flatMap((definition) => rightsOf(definition, plan.settings));
  return roleManifests('worker', { plan, rights: mergeRights(rights), queue: 'postgres' });
}

/** One is active, the other stands by. */
export function forwarderManifests(plan: Plan, queue: 'postgres' | 'sqs'): readonly KubeObject[] {
  return roleManifests('forwarder', { plan, rights: watchRights(plan), queue });
}

function isReconcile({ shape }: { readonly shape: string }): boolean {
  return shape === 'reconcile';
}

type Role = {
  readonly plan: Plan;
  readonly rights: readonly Right[];
  readonly queue: 'postgres' | 'sqs';
};

function roleManifests(component: string, { plan, rights, queue }: Role): readonly KubeObject[] {
  const isForwarder = component === 'forwarder';
  const env = [
    { name: 'QUEUE', value: queue },
    databaseUrl,
    ...(isForwarder ? [{ ...oneArena }] : []),
  ];
  const { graceSeconds } = plan.settings.worker;
  const args = ['serve', '--role', component];
  const heap = isForwarder
    ? { youngHeap: forwarderHeap.young, nodeFlags: [forwarderHeap.old] }
    : { youngHeap: workerHeap };
  const process = { component, args, env, graceSeconds, ...heap };
  return [
    ...accountManifests(component, rights, plan),
    toDatabase(component, plan),
    deployment(process, plan, { replicas: 2 }),
  ];
}
