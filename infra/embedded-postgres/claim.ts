import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Claim, closed, present, saying } from './presence.ts';

/**
 * One process a folder, on one machine. Both its sockets are let go by the kernel however their owner dies, so that there is
 * no lock file to be stale.
 */
export async function claim(folder: string): Promise<Claim> {
  const near = await claimName(folder);
  if (near.kind === 'taken') return near;
  const far = await present(folder);
  if (far.kind === 'taken') {
    await near.release();
    return far;
  }
  const release = async () => {
    await far.release();
    await near.release();
  };
  return { kind: 'ours', release };
}

/** Of two in one network namespace one gets it, also where they begin at once. */
async function claimName(folder: string): Promise<Claim> {
  const { dev, ino } = await stat(folder);
  const name = `\0gatehouse-postgres-${dev}-${ino}`;
  const server = saying(`process ${process.pid}`);
  const ours = { kind: 'ours', release: () => closed(server) } as const;
  if (await isListening(server, name)) return ours;

  const by = await owner(name);
  if (by !== '') return { kind: 'taken', by };
  // What its owner has let go, a child that is about to become another program still holds for a moment.
  if (await isListening(server, name)) return ours;
  return { kind: 'taken', by: 'a process that does not say its id' };
}

async function isListening(server: Server, name: string): Promise<boolean> {
  try {
    await once(server.listen(name), 'listening');
    return true;
  } catch (cause: unknown) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE') return false;
    throw cause;
  }
}

/** Empty where nobody says it, or the socket goes while it is asked. */
async function owner(name: string): Promise<string> {
  const socket = connect(name).setTimeout(1_000, () => socket.destroy());
  return text(socket).catch(() => '');
}
