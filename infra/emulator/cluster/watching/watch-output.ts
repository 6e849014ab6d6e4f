import type { ServerResponse } from 'node:http';

/** So many bytes, then a pause. */
export type Pace = {
  readonly bytes: number;
  readonly everyMs: number;
  /** Meanwhile a watch that is further behind ends, as on a server whose buffers are small. */
  readonly mostBehind?: number;
};

export type Output = {
  /** `false`: no more until `onRoom` is called. */
  write(chunk: Buffer): boolean;
  /** From now on nothing goes out, and the connection stays: as behind a cable that was pulled. */
  freeze(): void;
  /** For so long nothing goes out: as behind a forwarder that is slow. */
  hold(ms: number): void;
  /** The next chunk goes out by half, and then the connection breaks. */
  cutInLine(): void;
};

type Options = { readonly pace: () => Pace | undefined; readonly onRoom: () => void };

export function outputTo(response: ServerResponse, { pace, onRoom }: Options): Output {
  let state: 'flowing' | 'frozen' | 'held' | 'cutting' = 'flowing';
  let held: Buffer | undefined;
  response.on('drain', onRoom);
  return {
    write(chunk) {
      if (state === 'frozen') return false;
      if (state === 'held') {
        held = chunk;
        return false;
      }
      if (state === 'cutting') return cut(response, chunk);
      const slow = pace();
      if (slow === undefined) return response.write(chunk);
      void trickled(response, chunk, slow).then(onRoom);
      return false;
    },
    freeze: () => {
      state = 'frozen';
    },
    hold(ms) {
      if (state !== 'flowing') return;
      state = 'held';
      const release = () => {
        if (state !== 'held' || response.destroyed) return;
        state = 'flowing';
        if (held !== undefined) response.write(held);
        held = undefined;
        onRoom();
      };
      const timer = setTimeout(release, ms);
      response.on('close', () => clearTimeout(timer));
    },
    cutInLine: () => {
      state = 'cutting';
    },
  };
}

function cut(response: ServerResponse, chunk: Buffer): false {
  response.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => response.socket?.destroy());
  return false;
}

async function trickled(response: ServerResponse, chunk: Buffer, pace: Pace): Promise<void> {
  for (let at = 0; at < chunk.length && !response.destroyed; at += pace.bytes) {
    response.write(chunk.subarray(at, at + pace.bytes));
    await new Promise((resolve) => setTimeout(resolve, pace.everyMs));
  }
}
