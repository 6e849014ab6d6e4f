import { withCondition } from '../conditions.ts';
import type { Condition } from '../shapes/meta.ts';
import { type ContainerStatus, hasCondition, type Pod } from '../shapes/pod.ts';
import type { Statuses } from './advance-pod.ts';
import type { PodPhase } from './pod-phase.ts';

type Facts = {
  readonly phase: PodPhase;
  readonly statuses: Statuses;
  readonly isCreated: boolean;
  readonly now: string;
};

type Said = Pick<Condition, 'status' | 'reason' | 'message'>;

export function conditionsOf(pod: Pod, facts: Facts): readonly Condition[] {
  const containers = containersReady(facts);
  const said: Readonly<Record<string, Said>> = {
    PodReadyToStartContainers: { status: facts.isCreated && !isOver(facts) ? 'True' : 'False' },
    Initialized: initialized(facts),
    Ready: containers.status === 'True' ? gated(pod, containers) : containers,
    ContainersReady: containers,
    PodScheduled: { status: 'True' },
  };
  const { generation } = pod.metadata;
  return Object.entries(said).reduce<readonly Condition[]>((conditions, [type, each]) => {
    const observed = generation === undefined ? {} : { observedGeneration: generation };
    const next = { type, lastProbeTime: null, ...observed, ...each };
    return withCondition(conditions, next, facts.now);
  }, pod.status?.conditions ?? []);
}

function isOver({ phase }: Facts): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

function initialized(facts: Facts): Said {
  if (facts.phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' };
  const left = facts.statuses.init.filter(({ state }) => {
    return state.running === undefined && state.terminated?.exitCode !== 0;
  });
  // An init container that runs has not done its work, a sidecar that runs has.
  const busy = facts.statuses.init.filter(({ state, ready }) => {
    return state.running !== undefined && !ready;
  });
  const names = namesOf([...left, ...busy]);
  if (names === '') return { status: 'True' };
  const message = `containers with incomplete status: [${names}]`;
  return { status: 'False', reason: 'ContainersNotInitialized', message };
}

function containersReady(facts: Facts): Said {
  if (facts.phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (facts.phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  const { init, main } = facts.statuses;
  const sidecars = init.filter(({ state }) => state.running !== undefined);
  const names = namesOf([...main, ...sidecars].filter(({ ready }) => !ready));
  if (names === '') return { status: 'True' };
  const message = `containers with unready status: [${names}]`;
  return { status: 'False', reason: 'ContainersNotReady', message };
}

function gated({ spec, status }: Pod, ready: Said): Said {
  const closed = spec.readinessGates?.find(
    ({ conditionType }) => !hasCondition(status, conditionType),
  );
  if (closed === undefined) return ready;
  const message = `corresponding condition of pod readiness gate "${closed.conditionType}" does not exist.`;
  return { status: 'False', reason: 'ReadinessGatesNotReady', message };
}

function namesOf(statuses: readonly ContainerStatus[]): string {
  return statuses.map(({ name }) => name).join(' ');
}
