import { type ChildProcess, execFileSync, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { say } from './bench.ts';

/** Servers run on the first core that this process may use, load and clients on the second. */
export type Core = 'servers' | 'load';

export type Started = {
  readonly pid: number;
  readonly child: ChildProcess;
  /** Resident memory now and at its highest, in bytes. */
  memory(): { readonly now: number; readonly highest: number };
  /** All its threads, user and system. */
  cpuSeconds(): number;
  /** Its main thread, ready to run while others had the core: another process, or a thread of its own. */
  heldUpSeconds(): number;
  stop(signal?: NodeJS.Signals): Promise<void>;
};

const running = new Set<Started>();
const others: (() => Promise<void>)[] = [];
const ticksPerSecond = 100;

/** Exits with us, whatever ends us. */
process.once('exit', () => {
  for (const started of running) started.child.kill('SIGKILL');
});

export type Starting = {
  readonly core: Core;
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdio?: StdioOptions;
};

export function start({ core, command, env, stdio }: Starting): Started {
  const args = ['--cpu-list', String(cpuOf(core)), ...command];
  const child = spawn('taskset', args, {
    env: { ...process.env, ...env },
    stdio: stdio ?? ['ignore', 'ignore', 'inherit'],
  });
  if (child.pid === undefined) throw new Error('taskset (util-linux) cannot be started');
  const started = startedOf(child, child.pid);
  running.add(started);
  child.once('exit', () => running.delete(started));
  return started;
}

/** For a bench that is its own client. */
export function pinSelf(core: Core): void {
  keepSelfTo([cpuOf(core)]);
}

/** For rates that are promised on so many cores: us, and whoever is started from now on. On how many that is then, figures say. */
export function keepToCores(most: number): number {
  try {
    keepSelfTo(cpus.slice(0, most));
  } catch {
    if (cpus.length > most)
      say(`NOTE: without taskset (util-linux) all cores are used, and not ${most}`);
  }
  return availableParallelism();
}

function keepSelfTo(list: readonly number[]): void {
  const args = ['--all-tasks', '--cpu-list', '--pid', list.join(','), String(process.pid)];
  execFileSync('taskset', args, { stdio: 'ignore' });
}

/** The next bench begins as if it was the first. */
function freeSelf(): void {
  try {
    keepSelfTo(cpus);
  } catch {
    // Nobody was kept to anything either.
  }
}

/** What others started for a bench ends with it as well. */
export function alsoStop(stop: () => Promise<void>): void {
  others.push(stop);
}

export async function stopAll(): Promise<void> {
  await Promise.all([...running].map((started) => started.stop('SIGKILL')));
  await Promise.all(others.splice(0).map((stop) => stop()));
  freeSelf();
}

function startedOf(child: ChildProcess, pid: number): Started {
  return {
    pid,
    child,
    memory: () => ({
      now: kilobytes(pid, 'VmRSS') * 1024,
      highest: kilobytes(pid, 'VmHWM') * 1024,
    }),
    cpuSeconds: () => cpuTicks(pid) / ticksPerSecond,
    heldUpSeconds: () => heldUpNanoseconds(pid) / 1e9,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
    },
  };
}

function kilobytes(pid: number, name: string): number {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8').match(
    new RegExp(`^${name}:\\s+(\\d+)`, 'm'),
  );
  return Number(line?.[1]);
}

/** utime and stime: fields 14 and 15, counted after the name, which may hold blanks. */
function cpuTicks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** The second of three; not every kernel counts them. */
function heldUpNanoseconds(pid: number): number {
  const file = `/proc/${pid}/schedstat`;
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[1]) : Number.NaN;
}

const cpus = allowedCpus();

/** Said by the bench itself, not by those that it starts on one core. */
export function sayCores(): void {
  if (cpus.length >= 2) return;
  say('NOTE: there is one core only: servers and load share it, and rates are not those of a core');
}

function cpuOf(core: Core): number {
  const [first = 0, second = first] = cpus;
  return core === 'servers' ? first : second;
}

/** `Cpus_allowed_list: 0-3,8` */
function allowedCpus(): readonly number[] {
  const text = readFileSync('/proc/self/status', 'utf8').match(/^Cpus_allowed_list:\s+(\S+)/m)?.[1];
  return (text ?? '0').split(',').flatMap((part) => {
    const [from = 0, to = from] = part.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}
