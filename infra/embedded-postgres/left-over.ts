import { constants, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { trouble } from '../cli/output.ts';

/** The server that an earlier process of ours left behind: the pid in its lock file, if that is still a Postgres of this folder. */
export async function leftOver(data: string): Promise<number | undefined> {
  const pid = await pidIn(data);
  if (pid === undefined) return undefined;
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return isServerOf(data, commandLine) ? pid : undefined;
}

/** Pids are used again: after a restart of the machine the number may be anybody's. */
export function isServerOf(data: string, commandLine: string): boolean {
  const args = commandLine.split('\0');
  return /(^|\/)postgres$/.test(args[0] ?? '') && args[args.indexOf('-D') + 1] === data;
}

export async function pidIn(data: string): Promise<number | undefined> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return pid > 1 ? pid : undefined;
}

/** Fast shutdown; then immediate, after which the next start recovers from the log; then none is asked. */
const steps: readonly (readonly [NodeJS.Signals, number])[] = [
  ['SIGINT', 30_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
];

export async function stopLeftOver(data: string): Promise<boolean> {
  const pid = await leftOver(data);
  if (pid === undefined) {
    if (!(await isSignGone(data))) throw outOfSight(data);
    // Its number may be somebody else's by now, whom Postgres would take for a living server.
    await rm(join(data, 'postmaster.pid'), { force: true });
    return false;
  }
  for (const [signal, ms] of steps) {
    process.kill(pid, signal);
    if (await isGone(data, ms)) return true;
  }
  throw new Error(`the Postgres left over in ${data} (process ${pid}) does not end`);
}

/** A pipe that the server and its backends hold open: seen from any pid namespace, and let go by the kernel. */
export function signOf(data: string): string {
  return join(dirname(data), 'running');
}

export async function hasSign(data: string): Promise<boolean> {
  // Nobody may write where nobody reads.
  const flags = constants.O_WRONLY | constants.O_NONBLOCK;
  const pipe = await open(signOf(data), flags).catch(() => undefined);
  if (pipe === undefined) return false;
  try {
    return (await pipe.stat()).isFIFO();
  } finally {
    await pipe.close();
  }
}

/** One whose keeper was killed ends by itself. */
const shutdownMs = 35_000;

function isSignGone(data: string): Promise<boolean> {
  return isOver(async () => !(await hasSign(data)), shutdownMs);
}

function outOfSight(data: string): Error {
  return trouble('a Postgres that cannot be seen from here runs on this state folder', {
    where: data,
    mend: 'end the container that it was left over in, or name another folder by GATEHOUSE_STATE',
  });
}

function isGone(data: string, ms: number): Promise<boolean> {
  return isOver(async () => (await leftOver(data)) === undefined, ms);
}

async function isOver(isSo: () => Promise<boolean>, ms: number): Promise<boolean> {
  const until = performance.now() + ms;
  while (!(await isSo())) {
    if (performance.now() > until) return false;
    await sleep(20);
  }
  return true;
}
