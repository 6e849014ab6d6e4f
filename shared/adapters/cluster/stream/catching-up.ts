import { setImmediate as turn } from 'node:timers/promises';

/** What one watch holds that nobody has taken to pieces yet. */
export type Held = {
  /** In bytes. */
  readonly behind: () => number;
  /** Takes over what the stream has, which reads on from its socket then. `false`: there is nothing. */
  readonly pull: () => boolean;
};

export type CatchingUp = {
  /** Reads on where this watch is behind and no other one has the turn: what gives the turn back. */
  readOn(held: Held): Promise<() => void>;
};

export type Depths = {
  /** Whoever has so many bytes has a full buffer, and the socket has more. */
  readonly fullBytes: number;
  readonly deepBytes: number;
};

/**
 * A batch is a transaction, and a watch that is behind does not catch up by batches of what its buffer holds. Only one
 * watch of all at a time reads further: taken to pieces, what it has read is several times as large until it is written.
 */
export function openCatchingUp({ fullBytes, deepBytes }: Depths): CatchingUp {
  let isTaken = false;
  return {
    async readOn({ behind, pull }) {
      if (isTaken || behind() < fullBytes) return () => undefined;
      isTaken = true;
      // The socket is read between two turns of the loop.
      do await turn();
      while (behind() < deepBytes && pull());
      return once(() => {
        isTaken = false;
      });
    },
  };
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}
