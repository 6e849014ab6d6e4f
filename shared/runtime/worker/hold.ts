import type { Queue } from '#events/queue.ts';

export type Holding = {
  readonly queue: Pick<Queue, 'extend'>;
  readonly receipt: string;
  readonly visibilityMs: number;
  /** The receipt is worth nothing any more: somebody else may have the message. */
  readonly onLost: () => void;
};

/** Keeps a message invisible to others until it is let go. Of the two extensions that come in time, one may fail. */
export function hold({ queue, receipt, visibilityMs, onLost }: Holding): () => void {
  const extend = async (): Promise<void> => {
    const isOurs = await queue.extend(receipt, visibilityMs).catch(unanswered);
    if (isOurs) return;
    clearInterval(timer);
    onLost();
  };
  const timer = setInterval(() => void extend(), visibilityMs / 3);
  return () => clearInterval(timer);
}

/** That the queue is away is told where it is asked for more; until it is back the message counts as ours. */
function unanswered(): boolean {
  return true;
}
