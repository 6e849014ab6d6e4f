import { timeText } from '#infra/emulator/controllers/conditions.ts';
import { nodeOf } from '#infra/emulator/controllers/daemon-sets/daemon-pod.ts';
import { isLeaving } from '#infra/emulator/controllers/shapes/meta.ts';
import { isActive, isReady, type Pod } from '#infra/emulator/controllers/shapes/pod.ts';
import type { Step } from '#test/contracts/kube-api/case.ts';

/** What befalls a pod on its node. */
export type Deed = {
  /** Pods of which this is what comes next. */
  waits(pod: Pod): boolean;
  steps(pod: Pod): readonly Step[];
};

const isNew = (pod: Pod) => isActive(pod) && pod.status?.phase === 'Pending';
const runs = (pod: Pod) => isActive(pod) && pod.status?.phase === 'Running';
const running = (isReady: boolean) => (pod: Pod) => [told(pod, { kind: 'running', isReady })];
const ended = (exitCode: number) => (pod: Pod) => [told(pod, { kind: 'ended', exitCode })];

export const deeds: Readonly<Record<string, Deed>> = {
  /** Bound, started and found ready. */
  RUN: { waits: isNew, steps: (pod) => [bound(pod), ...running(true)(pod)] },
  START: { waits: isNew, steps: (pod) => [bound(pod), ...running(false)(pod)] },
  READY: { waits: (pod) => runs(pod) && !isReady(pod), steps: running(true) },
  UNREADY: { waits: (pod) => runs(pod) && isReady(pod), steps: running(false) },
  SUCCEED: { waits: runs, steps: ended(0) },
  FAIL: { waits: runs, steps: ended(1) },
  /** Their grace is over. */
  END: { waits: isLeaving, steps: (pod) => [gone(pod)] },
};

/** All that are not a DaemonSet's are together, so that none is put away before another. */
function bound({ metadata: { name }, spec }: Pod): Step {
  const target = { apiVersion: 'v1', kind: 'Node', name: nodeOf(spec) ?? 'n1' };
  return { do: `POST pods/${name}/binding`, send: { metadata: { name }, target }, gives: 201 };
}

function gone({ metadata: { name } }: Pod): Step {
  return { do: `DELETE pods/${name}`, send: { gracePeriodSeconds: 0 }, gives: 200 };
}

type Told =
  | { readonly kind: 'running'; readonly isReady: boolean }
  | { readonly kind: 'ended'; readonly exitCode: number };

function told({ metadata: { name, uid }, spec }: Pod, next: Told): Step {
  const at = timeText(Date.now());
  const ready = next.kind === 'running' && next.isReady;
  const containerStatuses = spec.containers.map((container) => ({
    ...{ name: container.name, image: container.image, imageID: '', restartCount: 0 },
    ...{ ready, started: ready, state: stateOf(next, at) },
  }));
  const said = { Ready: ready, ContainersReady: ready, Initialized: true, PodScheduled: true };
  const conditions = Object.entries(said).map(([type, is]) => ({
    ...{ type, status: is ? 'True' : 'False', lastTransitionTime: at },
  }));
  const podIP = addressOf(uid);
  const address = { podIP, podIPs: [{ ip: podIP }], hostIP: '10.2.0.1' };
  const status = { phase: phaseOf(next), conditions, containerStatuses, ...address };
  return { do: `MERGE pods/${name}/status`, send: { status }, gives: 200 };
}

function phaseOf(next: Told): string {
  if (next.kind === 'running') return 'Running';
  return next.exitCode === 0 ? 'Succeeded' : 'Failed';
}

function stateOf(next: Told, at: string): object {
  if (next.kind === 'running') return { running: { startedAt: at } };
  const { exitCode } = next;
  return {
    terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', finishedAt: at },
  };
}

/** Another for each pod, but for chance. */
function addressOf(uid: string): string {
  const [high = 0, low = 0] = Buffer.from(uid.slice(0, 4), 'hex');
  return `10.1.${high}.${low}`;
}
