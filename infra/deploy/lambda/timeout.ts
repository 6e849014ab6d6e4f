import type { Definition } from '#shared/define.ts';

/** Of messages that one invocation is handed at most; those of one group come in order. */
export const batchSize = 5;

/** Lambda's own limit is 15 minutes. */
export function timeoutSeconds({ shape, deadlineMs }: Definition): number {
  const runs = shape === 'reconcile' ? batchSize : 1;
  return Math.min(900, Math.ceil((runs * deadlineMs) / 1000) + 2);
}
