import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';

export type Claim =
  | { readonly kind: 'ours'; release(): Promise<void> }
  | { readonly kind: 'taken'; readonly by: string };

/**
 * One process a folder. An abstract socket is let go by the kernel however its owner dies, so that there is no lock file
 * to be stale; it holds within one machine (one network namespace), as Postgres's own lock file does.
 */
export async function claim(folder: string): Promise<Claim> {
  const { dev, ino } = await stat(folder);
  const name = `\0gatehouse-postgres-${dev}-${ino}`;
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(`process ${process.pid}`);
  });
  const ours = { kind: 'ours', release: () => closed(server) } as const;
  if (await isListening(server, name)) return ours;

  const by = await owner(name);
  if (by !== '') return { kind: 'taken', by };
  // What its owner has let go, a child that is about to become another program still holds for a moment.
  if (await isListening(server, name)) return ours;
  return { kind: 'taken', by: 'a process that does not say its id' };
}

async function isListening(server: Server, name: string): Promise<boolean> {
  server.unref();
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

async function closed(server: Server): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
}
