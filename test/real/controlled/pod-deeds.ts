import { hasCondition, type Pod } from '#infra/emulator/controllers/shapes/pod.ts';
import type { Step } from '#test/contracts/kube-api/case.ts';

/** What befalls a pod on its node. */
export type Deed = {
  /** Pods of which this is what comes next. */
  waits(pod: Pod): boolean;
  steps(pod: Pod): readonly Step[];
};

const phaseOf = ({ status }: Pod) => status?.phase;
const isLeaving = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined;
const isReady = ({ status }: Pod) => hasCondition(status, 'Ready');
const runs = (pod: Pod) => phaseOf(pod) === 'Running' && !isLeaving(pod);

export const deeds: Readonly<Record<string, Deed>> = {
  /** Bound, started and found ready. */
  RUN: {
    waits: (pod) => phaseOf(pod) === 'Pending' && !isLeaving(pod),
    steps: (pod) => [bound(pod), told(pod, running(true))],
  },
  START: {
    waits: (pod) => phaseOf(pod) === 'Pending' && !isLeaving(pod),
    steps: (pod) => [bound(pod), told(pod, running(false))],
  },
  READY: { waits: (pod) => runs(pod) && !isReady(pod), steps: (pod) => [told(pod, running(true))] },
  UNREADY: {
    waits: (pod) => runs(pod) && isReady(pod),
    steps: (pod) => [told(pod, running(false))],
  },
  SUCCEED: { waits: runs, steps: (pod) => [told(pod, ended('Succeeded', 0))] },
  FAIL: { waits: runs, steps: (pod) => [told(pod, ended('Failed', 1))] },
  /** Their grace is over. */
  END: {
    waits: isLeaving,
    steps: ({ metadata }) => [
      { do: `DELETE pods/${metadata.name}`, send: { gracePeriodSeconds: 0 }, gives: 200 },
    ],
  },
};

function bound({ metadata: { name }, spec }: Pod): Step {
  const target = { apiVersion: 'v1', kind: 'Node', name: nodeFor(JSON.stringify(spec)) };
  return { do: `POST pods/${name}/binding`, send: { metadata: { name }, target }, gives: 201 };
}

/** A DaemonSet's pod says which; all others are together, since none is then put away before another. */
function nodeFor(spec: string): string {
  return /"metadata\.name"[^}]*"values":\["([^"]+)"\]/.exec(spec)?.[1] ?? 'n1';
}

function told({ metadata: { name, uid }, spec, status }: Pod, next: Told): Step {
  const { phase, isReady: ready, state } = next;
  const at = new Date().toISOString().replace(/\.\d+/, '');
  const podIP = addressOf(uid);
  const containerStatuses = spec.containers.map((container) => ({
    ...{ name: container.name, image: container.image, imageID: '', restartCount: 0 },
    ...{ ready, started: ready, state: state(at) },
  }));
  const said = { Ready: ready, ContainersReady: ready, Initialized: true, PodScheduled: true };
  const conditions = Object.entries(said).map(([type, is]) => ({
    ...{ type, status: is ? 'True' : 'False', lastTransitionTime: at },
  }));
  const address = { podIP, podIPs: [{ ip: podIP }], hostIP: '10.2.0.1', startTime: at };
  const send = {
    status: { phase, conditions, containerStatuses, ...(status?.podIP ? {} : address) },
  };
  return { do: `MERGE pods/${name}/status`, send, gives: 200 };
}

/** Another for each pod, but for chance. */
function addressOf(uid: string): string {
  const [high = 0, low = 0] = Buffer.from(uid.slice(0, 4), 'hex');
  return `10.1.${high}.${low}`;
}

type Told = { readonly phase: string; readonly isReady: boolean; state(at: string): object };

function running(isReady: boolean): Told {
  return { phase: 'Running', isReady, state: (startedAt) => ({ running: { startedAt } }) };
}

function ended(phase: string, exitCode: number): Told {
  const state = (finishedAt: string) => ({
    terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', finishedAt },
  });
  return { phase, isReady: false, state };
}
