import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

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

async function isGone(data: string, ms: number): Promise<boolean> {
  const until = performance.now() + ms;
  while ((await leftOver(data)) !== undefined) {
    if (performance.now() > until) return false;
    await sleep(20);
  }
  return true;
}
