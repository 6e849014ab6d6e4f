// Runs as a process of its own: one Postgres for all who are connected to it, and the end of both when the last has gone.
import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type EmbeddedPostgres, startPostgres } from '#infra/embedded-postgres/start.ts';
import { binariesOf, keeperFolder, keeperName } from './keeping.ts';

/** Test files of project `real` come one after another, each in a process of its own. */
const lingerMs = 1_500;

const major = process.argv[2] ?? '18';
const users = new Set<Socket>();
let lingering: NodeJS.Timeout | undefined;
let isEnding = false;

const server = createServer((socket) => void serve(socket).catch(() => socket.destroy()));
// Somebody else was faster; whoever started us finds that one.
server.on('error', () => process.exit());
const isOurs = new Promise<void>((resolve) => server.listen(keeperName(major), resolve));
void isOurs.then(() => linger());

const folder = keeperFolder(major);
const started = isOurs.then(start);
// Told to whoever asks.
started.catch(() => undefined);

async function start(): Promise<EmbeddedPostgres> {
  // Of a keeper that was killed.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  // The user whom root lends the server to has to get in.
  await chmod(folder, 0o755);
  return startPostgres({
    folder: join(folder, 'postgres'),
    elsewhere: folder,
    isDurable: false,
    settings: { max_connections: '400', shared_buffers: '64MB', log_checkpoints: 'off' },
    ...(await binariesOf(major)),
  });
}

async function serve(socket: Socket): Promise<void> {
  if (isEnding) return void socket.destroy();
  clearTimeout(lingering);
  users.add(socket);
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    users.delete(socket);
    if (users.size === 0) linger();
  });
  const told = await started.then(
    ({ url }) => ({ url }),
    (cause: unknown) => ({ failed: String(cause) }),
  );
  socket.write(`${JSON.stringify(told)}\n`);
}

function linger(): void {
  clearTimeout(lingering);
  lingering = setTimeout(() => void end(), lingerMs);
}

/** The name is held until all is gone: the next keeper starts with nothing of ours around. */
async function end(): Promise<void> {
  isEnding = true;
  await started.then((postgres) => postgres.stop()).catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
  process.exit();
}
