import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as after } from 'node:timers/promises';
import { type OpenCluster, openCluster } from '#shared/adapters/cluster/open-cluster.ts';

/** A line that `gatehouse dev --json` printed. */
export type Line = { readonly kind: string; readonly [key: string]: unknown };

export type DevProcess = {
  readonly cluster: OpenCluster;
  readonly pid: number;
  /** The next line, from here on, that is meant. */
  heard(isMeant: (line: Line) => boolean): Promise<Line>;
  /** All so far, those before it was ready too. */
  readonly lines: readonly Line[];
  readonly complaints: () => string;
  /** The exit code. */
  end(signal?: NodeJS.Signals, times?: number): Promise<number | null>;
};

export type Dev = {
  readonly state: string;
  readonly args?: readonly string[];
  /** Of the cluster, where it is not its own. */
  readonly kubeconfig?: string;
  /** As a user types it at a terminal, whose ^C ends it; killed it leaves the others. */
  readonly isTyped?: boolean;
  /** Where Node keeps what it has compiled; the project's own where it is left out. */
  readonly compileCache?: string;
};

const patienceMs = 60_000;
/** ^C */
const interrupt = '\x03';

/** As a user runs it. */
export async function startDev(starting: Dev): Promise<DevProcess> {
  const { child, complaints } = spawned(starting);
  const lines = linesOf(child, complaints);
  await lines.heard(({ kind }) => kind === 'ready');
  const path = starting.kubeconfig ?? join(starting.state, 'kubeconfig');
  const cluster = await openCluster({ login: { kind: 'kubeconfig', path } });
  return {
    cluster,
    pid: Number(child.pid),
    ...lines,
    complaints,
    async end(signal = 'SIGINT', times = 1) {
      cluster.close();
      for (let turn = 0; turn < times; turn += 1) {
        if (starting.isTyped) child.stdin.write(interrupt);
        else child.kill(signal);
      }
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      return child.exitCode;
    },
  };
}

export type Ended = {
  readonly code: number | null;
  readonly printed: string;
  readonly complained: string;
};

/** One that ends by itself. */
export async function runDev(starting: Dev): Promise<Ended> {
  const { child, complaints } = spawned(starting);
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk;
  });
  // Its output has ended, too.
  const [code] = await once(child, 'close');
  return { code, printed, complained: complaints() };
}

/** One that is not to get as far as that: its exit code, and what it complained of. */
export async function failedDev(starting: Dev): Promise<string> {
  const { code, complained } = await runDev(starting);
  return `${code} ${complained}`;
}

/** One that is told to end in the middle of its start: its exit code. */
export async function hastyDev(starting: Dev, isTime: () => boolean): Promise<number | null> {
  const { child } = spawned(starting);
  child.stdout.resume();
  // Listened for at once: of one that ended meanwhile nobody would hear it again.
  const closed = once(child, 'close');
  while (!isTime() && child.exitCode === null && child.signalCode === null) await after(5);
  child.kill('SIGINT');
  const [code] = await closed;
  return code;
}

/** Attached like a debugger: goes on from each breakpoint after it has stood there for so long. */
export async function debuggerOn({ complaints }: DevProcess, standMs: number) {
  const [url = ''] = /ws:\/\/\S+/.exec(complaints()) ?? [];
  const socket = new WebSocket(url);
  let stops = 0;
  const say = (method: string) => socket.send(JSON.stringify({ id: 1, method }));
  socket.addEventListener('message', ({ data }) => {
    if (!String(data).includes('"Debugger.paused"')) return;
    stops += 1;
    setTimeout(say, standMs, 'Debugger.resume').unref();
  });
  await once(socket, 'open');
  say('Debugger.enable');
  return { stops: () => stops, close: () => socket.close() };
}

const infra = join(import.meta.dirname, '../../infra');

function spawned({ state, args = [], isTyped = false, compileCache }: Dev) {
  const given = ['--json', '--state', state, ...args];
  const node = ['--import', join(infra, 'own-imports.mjs'), join(infra, 'cli/main.ts'), 'dev'];
  const typed = ['-qfec', ['npm start --', ...given].join(' '), '/dev/null'];
  const child = spawn(
    isTyped ? 'script' : process.execPath,
    isTyped ? typed : [...node, ...given],
    {
      cwd: join(infra, '..'),
      env: { ...process.env, ...(compileCache && { NODE_COMPILE_CACHE: compileCache }) },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return { child, complaints: () => text };
}

function linesOf(child: ChildProcess, complaints: () => string) {
  const { stdout } = child;
  if (stdout === null) throw new Error('its output is not read');
  const listeners = new Set<(line: Line) => void>();
  const lines: Line[] = [];
  createInterface({ input: stdout }).on('line', (text) => {
    // npm says what it runs.
    if (!text.startsWith('{')) return;
    const line = JSON.parse(text) as Line;
    lines.push(line);
    for (const listener of listeners) listener(line);
  });
  return {
    lines,
    heard(isMeant: (line: Line) => boolean): Promise<Line> {
      const { promise, resolve, reject } = Promise.withResolvers<Line>();
      const listener = (line: Line) => isMeant(line) && resolve(line);
      const late = setTimeout(() => reject(new Error('never heard')), patienceMs);
      const ended = () => reject(new Error(`it ended:\n${complaints()}`));
      listeners.add(listener);
      child.once('exit', ended);
      return promise.finally(() => {
        clearTimeout(late);
        child.off('exit', ended);
        listeners.delete(listener);
      });
    },
  };
}

/** Of the embedded Postgres, as it wrote it down. */
export function postgresPid(state: string): number {
  return Number(readFileSync(postgresPidFile(state), 'utf8').split('\n')[0]);
}

/** There for as long as it runs. */
export function postgresPidFile(state: string): string {
  return join(state, 'postgres/data/postmaster.pid');
}
