import { judgeOf } from './answer.ts';
import { type Connection, openConnection, type Peer } from './connection.ts';
import { start } from './processes.ts';
import { requestOf } from './request.ts';
import type { Serving } from './server.ts';

/** Milliseconds from the start of the process to its first right answer over TLS. */
export async function millisToFirstAnswer(
  serving: Serving,
  body: string,
  markers: readonly string[],
): Promise<number> {
  const { peer, node, env } = serving;
  const began = performance.now();
  const command = [process.execPath, ...node] as const;
  const started = start({ core: 'servers', command, ...(env === undefined ? {} : { env }) });
  try {
    await answered(serving, body, markers, () => hasEnded(started.child.exitCode, began, peer));
    return performance.now() - began;
  } finally {
    await started.stop();
  }
}

function hasEnded(exitCode: number | null, began: number, { port }: Peer): void {
  if (exitCode !== null) throw new Error(`the server ended with ${exitCode}`);
  if (performance.now() - began > 20_000) throw new Error(`nothing answers on port ${port}`);
}

/** Knocks without a pause: a pause would be part of what is measured. */
async function answered(
  { peer, path }: Serving,
  body: string,
  markers: readonly string[],
  checkAlive: () => void,
): Promise<void> {
  const judge = judgeOf(markers);
  const request = requestOf(body, { host: peer.serverName, path, timeoutSeconds: 5 });
  const uid = request.renew(0);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const connection = await knock(peer, checkAlive, {
    answered(status, answer) {
      const wrong = judge(uid, status, answer);
      if (wrong === undefined) resolve();
      else reject(new Error(wrong));
    },
    lost: (why) => reject(new Error(why)),
  });
  connection.send(request.bytes);
  await promise;
  connection.close();
}

type Heard = Parameters<typeof openConnection>[1];

async function knock(peer: Peer, checkAlive: () => void, heard: Heard): Promise<Connection> {
  for (;;) {
    checkAlive();
    const refused = { ...heard, lost: () => {} };
    const connection = await openConnection(peer, refused).catch(() => undefined);
    if (connection !== undefined) return connection;
  }
}
