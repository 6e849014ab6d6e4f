import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';

const infra = join(import.meta.dirname, '../../../infra');
/** As `npm run gatehouse` runs them: a start is half of what this machine does in a short run. */
const sources = ['--import', join(infra, 'own-imports.mjs'), join(infra, 'cli/main.ts')];

export type Served = {
  readonly name: string;
  readonly pid: number;
  /** Of its probes and metrics. */
  readonly probePort: number;
  /** Its last lines, for whoever asks what went wrong. */
  said(): string;
  /** From now on, a line with all of these. */
  saying(texts: readonly string[]): Saying;
  isAlive(): boolean;
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
};

/** What somebody listens for. */
export type Saying = { readonly isSaid: () => boolean; end(): void };

export type Serving = {
  readonly role: 'forwarder' | 'worker';
  readonly name: string;
  /** Of the configuration and the kubeconfig: `config.yaml`, `kubeconfig`. */
  readonly directory: string;
  readonly functions: string;
  readonly env: Readonly<Record<string, string>>;
  /** Arguments of node before ours; the sources are run where no program is named. */
  readonly node?: readonly string[];
  readonly program?: string;
  /** To whoever starts next: one that is killed would leave no compiled code. */
  readonly leavesCode?: boolean;
};

const withParent = ['--import', join(import.meta.dirname, '../../support/with-parent.mjs')];

/** A program in a folder of one run is never found again: its code would only fill the project's cache. */
const ownCache = (program: string) => ({ NODE_COMPILE_CACHE: join(dirname(program), 'code') });

const living = new Set<ChildProcess>();

process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/** One of our processes, as a user starts it; resolves when it says that it serves. */
export async function serve(serving: Serving): Promise<Served> {
  const { role, name, directory, functions, env, node = [] } = serving;
  const program = serving.program === undefined ? sources : [serving.program];
  const args = [...withParent, ...node, ...program, 'serve', '--role', role];
  const places = ['--functions', functions, '--config', join(directory, 'config.yaml')];
  const cluster = ['--kubeconfig', join(directory, 'kubeconfig')];
  const child = spawn(process.execPath, [...args, ...places, ...cluster], {
    env: { ...process.env, ...(serving.program && ownCache(serving.program)), ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  living.add(child);
  child.once('exit', () => living.delete(child));
  const said = lastOf(child);
  const probePort = await untilItServes(child, said);
  if (serving.leavesCode === true) child.send('leave-code');
  return {
    ...{ name, probePort },
    pid: child.pid ?? 0,
    said,
    saying: (texts) => sayingOf(child, texts),
    isAlive: () => living.has(child),
    kill: () => ended(child, 'SIGKILL'),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    stop: () => ended(child, 'SIGTERM'),
  };
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGCONT');
  child.kill(signal);
  await gone;
}

const mostKept = 40_000;

function lastOf(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-mostKept);
  });
  return () => text;
}

function sayingOf(child: ChildProcess, texts: readonly string[]): Saying {
  let [isSaid, rest] = [false, ''];
  const listen = (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    isSaid ||= lines.some((line) => texts.every((text) => line.includes(text)));
  };
  child.stderr?.on('data', listen);
  return { isSaid: () => isSaid, end: () => void child.stderr?.off('data', listen) };
}

function untilItServes(child: ChildProcess, said: () => string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const impatient = setTimeout(() => reject(new Error(`it does not serve:\n${said()}`)), 60_000);
  child.once('exit', () => reject(new Error(`it ended before it served:\n${said()}`)));
  const look = () => {
    const [, port] = /"probePort":(\d+),"msg":"serving"/.exec(said()) ?? [];
    if (port !== undefined) resolve(Number(port));
  };
  child.stderr?.on('data', look);
  return promise.finally(() => {
    child.stderr?.off('data', look);
    clearTimeout(impatient);
  });
}
