import { type ReconcileFunction, watchesOf } from '#shared/define.ts';
import { namespaces, nodes } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { resolvePlace } from '#shared/domain/place.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { fannedOutBy } from '#shared/runtime/forwarding/followed.ts';
import { accountManifests } from './accounts.ts';
import { databaseUrl, toDatabase } from './database.ts';
import { deployment } from './deployments.ts';
import type { Plan } from './plan.ts';
import { forwarderHeap, oneArena } from './pod.ts';
import {
  documentRights,
  everywhere,
  mergeRights,
  namespaceOf,
  type Right,
  rightsOf,
} from './rights.ts';

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
    : {};
  const process = { component, args, env, graceSeconds, ...heap };
  return [
    ...accountManifests(component, rights, plan),
    toDatabase(component, plan),
    deployment(process, plan, { replicas: 2 }),
  ];
}

const watching = ['get', 'list', 'watch'];

/** Its uid tells this cluster from every other one. */
const identity: Right = { ...everywhere(namespaces, ['get']), names: ['kube-system'] };

/** What wakes a function, as narrow as its watch, what it wakes all of, and what functions read from the mirror. */
function watchRights({ definitions, settings }: Plan): readonly Right[] {
  const read = definitions.flatMap(({ uses, reads = [] }) => [
    ...reads.map((kind) => everywhere(kind, watching)),
    ...(uses.includes('namespaces') ? [everywhere(namespaces, watching)] : []),
    ...(uses.includes('nodes') ? [everywhere(nodes, watching)] : []),
    ...(uses.includes('bootstrapDocument') ? documentRights(settings, watching) : []),
  ]);
  const woken = definitions.flatMap((definition) =>
    definition.shape === 'reconcile' ? ofWatches(definition, settings) : [],
  );
  const fannedOut = definitions.flatMap((definition) =>
    fannedOutBy(definition, settings).map(({ kind, namespace }) => ({
      ...everywhere(kind, watching),
      ...(namespace === undefined ? {} : { namespace }),
    })),
  );
  return mergeRights([...read, ...woken, ...fannedOut, identity]);
}

function ofWatches({ trigger }: ReconcileFunction, settings: Settings): readonly Right[] {
  return watchesOf(trigger).map(({ of, place, ...watch }) => {
    const { namespace, name } = place === undefined ? watch : resolvePlace(place, settings);
    return {
      ...everywhere(of, watching),
      ...(namespace === undefined ? {} : { namespace: namespaceOf(namespace, settings) }),
      names: name === undefined ? [] : [name],
    };
  });
}
