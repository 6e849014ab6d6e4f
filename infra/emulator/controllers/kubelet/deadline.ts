import type { Outcome } from '#shared/domain/outcome.ts';
import type { World } from '../frame/controller.ts';
import { writeStatus } from '../frame/write-status.ts';
import { pods } from '../shapes/kinds.ts';
import type { Pod } from '../shapes/pod.ts';
import { tell } from './tell.ts';
import { endOf } from './terminate.ts';

const reason = 'DeadlineExceeded';
const message = 'Pod was active on the node longer than the specified deadline';

/** How long the pod may still run; for good where nothing else is said. */
export function leftToRun({ spec, status }: Pod, now: number): number {
  const { activeDeadlineSeconds: seconds } = spec;
  const since = status?.startTime;
  if (seconds === undefined || since === undefined) return Number.POSITIVE_INFINITY;
  return Date.parse(since) + seconds * 1_000 - now;
}

/** Its time is over, whatever it was about to do. */
export async function endOverdue(pod: Pod, now: number, world: World): Promise<Outcome> {
  const status = { ...endOf(pod, now), reason, message };
  const written = await writeStatus(world, { kind: pods, object: pod, status });
  if (written.kind === 'done') tell(pod, { type: 'Normal', reason, note: message }, world);
  return written;
}
