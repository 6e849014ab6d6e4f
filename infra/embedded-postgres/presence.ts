import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { constants, type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export type Claim =
  | { readonly kind: 'ours'; release(): Promise<void> }
  | { readonly kind: 'taken'; readonly by: string };

const prefix = 'in-use-';

/** Of a socket that may go at any time, with whoever only looked. */
export function isPresence(name: string): boolean {
  return name.includes(prefix);
}

/**
 * A socket in the folder itself, which whoever shares the folder reaches from any namespace of this kernel, and which refuses
 * once its owner is dead. Each shows itself before it looks for others, so that of two that begin at once one sees the
 * other at least. A folder that can hold no socket is left to the claim within the network namespace.
 */
export async function present(folder: string): Promise<Claim> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY).catch(() => {});
  if (handle === undefined) return { kind: 'ours', release: async () => {} };
  try {
    return await presentIn(folder, handle);
  } finally {
    await handle.close();
  }
}

async function presentIn(folder: string, handle: FileHandle): Promise<Claim> {
  // A socket's path has 107 bytes at most.
  const short = `/proc/self/fd/${handle.fd}`;
  const own = `${prefix}${randomBytes(6).toString('hex')}`;
  // Who only waits leaves nothing there.
  const by = await anotherIn(short, own);
  if (by !== undefined) return { kind: 'taken', by };

  const server = saying(`process ${process.pid}`);
  const release = async () => {
    await closed(server);
    await rm(join(folder, own), { force: true });
  };
  if (!(await isShown(server, short, own))) return { kind: 'ours', release };
  const late = await anotherIn(short, own);
  if (late === undefined) return { kind: 'ours', release };
  await release();
  return { kind: 'taken', by: late };
}

/** Under its name only when it answers: one that does not is taken for a dead one's. */
async function isShown(server: Server, folder: string, name: string): Promise<boolean> {
  const hidden = join(folder, `showing-${name}`);
  try {
    // The folder keeps others out; whoever gets the folder has to be able to ask.
    await once(server.listen({ path: hidden, writableAll: true }), 'listening');
    await rename(hidden, join(folder, name));
    return true;
  } catch {
    return false;
  }
}

async function anotherIn(folder: string, own: string): Promise<string | undefined> {
  const names = await readdir(folder).catch(() => []);
  const others = names.filter((name) => name.startsWith(prefix) && name !== own);
  for (const name of others) {
    const answer = await ask(join(folder, name));
    if (answer.kind === 'alive') return `${answer.by}, in another container or network namespace`;
    await rm(join(folder, name), { force: true });
  }
  return undefined;
}

type Answer = { readonly kind: 'gone' } | { readonly kind: 'alive'; readonly by: string };

/** Asked twice: what its owner has let go, a child that is about to become another program still holds for a moment. */
async function ask(path: string): Promise<Answer> {
  const first = await askOnce(path);
  return first.kind === 'alive' && first.by === silent ? askOnce(path) : first;
}

const silent = 'a process that does not say its id';

async function askOnce(path: string): Promise<Answer> {
  const socket = connect(path).setTimeout(1_000, () => socket.destroy());
  try {
    return { kind: 'alive', by: (await text(socket)) || silent };
  } catch (cause: unknown) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    return /^(ECONNREFUSED|ENOENT)$/.test(code) ? { kind: 'gone' } : { kind: 'alive', by: silent };
  }
}

export function saying(who: string): Server {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(who);
  });
  return server.unref();
}

export async function closed(server: Server): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
}
