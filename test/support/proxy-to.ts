import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a server, and is what is wrong between the two. */
export type Between = {
  readonly url: string;
  /** Every connection stays open, and nothing goes through it any more: half open. */
  freeze(): void;
  /** Connections end and no new one begins. */
  cut(): void;
  /** New connections are as they should be. */
  mend(): void;
  close(): void;
};

export async function proxyTo(url: string): Promise<Between> {
  const target = new URL(url);
  let isCut = false;
  const pairs = new Set<readonly [Socket, Socket]>();
  const end = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
    pairs.clear();
  };

  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(Number(target.port || 5432), target.hostname);
    pairs.add([near, far]);
    for (const socket of [near, far]) socket.on('error', () => socket.destroy());
    near.pipe(far).on('close', () => near.destroy());
    far.pipe(near).on('close', () => far.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    freeze() {
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    cut() {
      isCut = true;
      end();
    },
    mend() {
      isCut = false;
    },
    close() {
      end();
      server.close();
    },
  };
}
