import { connect, createServer, type Socket } from 'node:net';

/** Between our processes and Postgres: what is broken on it, is broken for all of them. */
export type Way = {
  readonly port: number;
  /** Connections break, and new ones too. */
  cut(): void;
  /** Connections stay, and nothing arrives any more. */
  stall(): void;
  mend(): void;
  close(): void;
};

export async function openWay(toPort: number): Promise<Way> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let state: 'open' | 'cut' | 'stalled' = 'open';
  const server = createServer((near) => {
    if (state === 'cut') return void near.destroy();
    const pair = joined(near, connect(toPort, '127.0.0.1'));
    pairs.add(pair);
    near.on('close', () => pairs.delete(pair));
    if (state === 'stalled') hold(pair);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  const end = () => {
    for (const [near] of pairs) near.destroy();
  };
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    cut() {
      state = 'cut';
      end();
    },
    stall() {
      state = 'stalled';
      for (const pair of pairs) hold(pair);
    },
    mend() {
      state = 'open';
      for (const [near, far] of pairs) near.pipe(far).pipe(near);
    },
    close() {
      end();
      server.close();
    },
  };
}

function joined(near: Socket, far: Socket): readonly [Socket, Socket] {
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.setNoDelay(true);
    one.on('error', () => one.destroy()).on('close', () => other.destroy());
  }
  near.pipe(far).pipe(near);
  return [near, far];
}

function hold([near, far]: readonly [Socket, Socket]): void {
  near.unpipe(far).pause();
  far.unpipe(near).pause();
}
