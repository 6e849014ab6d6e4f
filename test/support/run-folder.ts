import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where the run's own folder lies: there, too, is what outlives it. */
const beside = 'TEST_RUN_BESIDE';
/** Short: paths of sockets have 107 bytes. */
const named = /^gh-run-(\d+)$/;

export function besideTheRun(): string {
  return process.env[beside] ?? tmpdir();
}

/** Whatever its tests and those whom they start put down for a while lies in one folder, which goes with the run. */
export function openRunFolder(): void {
  if (process.env[beside] !== undefined) return;
  const root = process.env['TMPDIR'] === undefined && isRoomy(inMemory) ? inMemory : tmpdir();
  sweep(root);
  const folder = join(root, `gh-run-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  // The user whom root lends the database to has to get in.
  chmodSync(folder, 0o755);
  Object.assign(process.env, { [beside]: root, TMPDIR: folder });
  process.once('exit', () => remove(folder));
}

/** To copy a test's database takes 7 ms there, and 130 on a disk. */
const inMemory = '/dev/shm';
const roomBytes = 8 * 1024 ** 3;

/** Containers have little of it, and start no programs there. */
function isRoomy(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const [options = 'noexec'] = mounts
    .map((line) => line.split(' '))
    .flatMap(([, at, , stated = '']) => (at === folder ? [stated] : []));
  const free = Math.min(bavail * bsize, process.availableMemory());
  return free >= roomBytes && !options.split(',').includes('noexec');
}

/** Of runs that were killed. A disk that one of them had mounted is there still, and keeps nobody from running. */
function sweep(root: string): void {
  for (const name of readdirSync(root)) {
    const pid = named.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) removeWhole(join(root, name));
  }
}

function removeWhole(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (cause: unknown) {
    process.stderr.write(`what a killed run has left stays: ${String(cause)}\n`);
  }
}

/** A server that is just ending may write meanwhile: then it is tried again. */
function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
