import { pause } from '../pause.ts';

export type Starting = {
  /** How much was due when the process came. */
  readonly due: Promise<number>;
  /** Something was run. */
  readonly hasWorked: Promise<void>;
  readonly stopped: AbortSignal;
  readonly mostMs?: number;
};

/**
 * What is due is run first: a forwarder begins with a hundred transactions, and in one process each of them holds up whoever
 * works. How long a run may take nobody knows, so it is not waited for longer than somebody would notice.
 */
export async function headStart({
  due,
  hasWorked,
  stopped,
  mostMs = 250,
}: Starting): Promise<void> {
  const over = new AbortController();
  const run = due.then((count) => (count > 0 ? hasWorked : undefined));
  await Promise.race([run, pause(mostMs, AbortSignal.any([stopped, over.signal]))]);
  over.abort();
}
