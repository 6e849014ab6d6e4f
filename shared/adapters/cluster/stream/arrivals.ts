import type { IncomingMessage } from 'node:http';

export type Arrival = 'bytes' | 'end' | 'idle' | Error;

/** Waits for what comes next of an answer: bytes to read, its end, or nothing for too long. */
export function arrivals(answer: IncomingMessage) {
  let last: Arrival | undefined;
  let wake = () => {};
  const fin = (what: Arrival) => {
    last ??= what;
    wake();
  };
  let isReadable = false;
  answer.on('readable', () => {
    isReadable = true;
    wake();
  });
  answer.on('end', () => fin('end'));
  answer.on('error', (cause) => fin(cause));
  answer.on('close', () => fin(new Error('the connection was closed')));
  answer.socket.setKeepAlive(true, 30_000);

  return {
    /** Silence counts from here on: while nobody waits, nobody reads. */
    async next(idleMs: number): Promise<Arrival> {
      if (!isReadable && last === undefined) {
        const isLate = await waited(idleMs, (resolve) => {
          wake = resolve;
        });
        if (isLate) return 'idle';
      }
      if (isReadable) {
        isReadable = false;
        return 'bytes';
      }
      return last ?? 'bytes';
    },
  };
}

/** `true` where the time was over first. */
function waited(ms: number, listen: (resolve: () => void) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), ms);
    listen(() => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}
