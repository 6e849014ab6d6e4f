import { done, later, type Outcome } from '#shared/domain/outcome.ts';
import { timeText } from '../conditions.ts';
import { outcomeOf } from '../frame/api.ts';
import { targetOf, type World } from '../frame/controller.ts';
import { writeStatus } from '../frame/write-status.ts';
import { pods } from '../shapes/kinds.ts';
import { type ContainerStatus, isOver, type Pod, type PodStatus } from '../shapes/pod.ts';
import { partOf } from './advance-pod.ts';
import type { Life } from './lives.ts';
import { conditionsOf } from './pod-conditions.ts';
import { ended } from './step-container.ts';
import { tell } from './tell.ts';

type Facts = { readonly life: Life; readonly now: number; readonly graceMs: number };

/** How the processes of a container end that is told to. */
const terminatedBySignal = 143;

/** Waits out the grace, ends the containers, and takes the pod off the API server. */
export async function terminate(
  pod: Pod,
  { life, now, graceMs }: Facts,
  world: World,
): Promise<Outcome> {
  const { deletionGracePeriodSeconds, finalizers = [], uid } = pod.metadata;
  if (life.leavingSince === undefined) tellStops(pod, world);
  life.leavingSince ??= now;
  const leftMs = leftOfGrace(pod, { graceMs, elapsedMs: now - life.leavingSince });
  if (leftMs > 0) return later(leftMs / 1_000);

  // Whoever holds the pod by a finalizer waits to see how it ended.
  if (finalizers.length > 0 && !isOver(pod)) {
    const status = endOf(pod, now);
    const written = await writeStatus(world, { kind: pods, object: pod, status });
    if (written.kind !== 'done') return written;
  }
  if (deletionGracePeriodSeconds === 0) return done;
  return outcomeOf(await world.api.remove(targetOf(pods, pod), { uid, graceSeconds: 0 }));
}

function tellStops({ status, ...pod }: Pod, world: World): void {
  const running = [
    ...(status?.initContainerStatuses ?? []).map((each) => [each, 'sidecar'] as const),
    ...(status?.containerStatuses ?? []).map((each) => [each, 'main'] as const),
  ].filter(([{ state }]) => state.running !== undefined);
  for (const [container, role] of running) {
    const note = `Stopping container ${container.name}`;
    const part = partOf(container, role);
    tell(pod, { type: 'Normal', reason: 'Killing', note, part }, world);
  }
}

type Grace = { readonly graceMs: number; readonly elapsedMs: number };

export function leftOfGrace({ metadata, spec }: Pod, { graceMs, elapsedMs }: Grace): number {
  const { deletionGracePeriodSeconds: granted } = metadata;
  const seconds = granted ?? spec.terminationGracePeriodSeconds ?? 30;
  return Math.min(seconds * 1_000, graceMs) - elapsedMs;
}

export function endOf(pod: Pod, now: number): PodStatus {
  const { status } = pod;
  const init = (status?.initContainerStatuses ?? []).map((each) => stopped(each, now));
  const main = (status?.containerStatuses ?? []).map((each) => stopped(each, now));
  const statuses = { init, main, ephemeral: [] };
  const phase = 'Failed';
  return {
    phase,
    conditions: conditionsOf(pod, { phase, statuses, isCreated: false, now: timeText(now) }),
    ...(init.length > 0 && { initContainerStatuses: init }),
    ...(main.length > 0 && { containerStatuses: main }),
  };
}

function stopped(status: ContainerStatus, now: number): ContainerStatus {
  if (status.state.terminated !== undefined) return status;
  return ended(status, terminatedBySignal, now);
}
