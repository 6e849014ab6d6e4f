import type { ContainerStatus, Pod } from '../shapes/pod.ts';
import type { Statuses } from './advance-pod.ts';

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

export function phaseOf({ spec }: Pod, { init, main }: Statuses): PodPhase {
  const { restartPolicy = 'Always' } = spec;
  if (restartPolicy === 'Never' && init.some(hasFailed)) return 'Failed';
  const isOver = main.every(({ state }) => state.terminated !== undefined);
  if (main.length > 0 && isOver && restartPolicy !== 'Always') {
    if (!main.some(hasFailed)) return 'Succeeded';
    if (restartPolicy === 'Never') return 'Failed';
  }
  return main.some(hasBegun) ? 'Running' : 'Pending';
}

function hasFailed({ state }: ContainerStatus): boolean {
  return (state.terminated?.exitCode ?? 0) !== 0;
}

function hasBegun({ state, lastState }: ContainerStatus): boolean {
  const { running, terminated } = state;
  return [running, terminated, lastState?.terminated].some((each) => each !== undefined);
}
