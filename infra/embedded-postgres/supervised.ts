import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { run, type Way } from './way.ts';

export type Supervised = {
  /** Everything it said on standard error, the last of it. */
  said(): string;
  onLine(listener: (line: string) => void): void;
  readonly ended: Promise<number | null>;
  /** Asks it to end: SIGINT, which is Postgres's fast shutdown. */
  end(): void;
};

/**
 * The shell between us holds the reading end of a pipe whose other end is ours alone. When we die, however we die, it
 * reads the end of the file, and sends SIGINT, again and again: until Postgres has a handler, a background child ignores
 * it. Its own session keeps a terminal's ^C and a SIGKILL of our group away.
 */
const script = `
[ -z "$running" ] || [ -p "$running" ] || mkfifo -m 600 "$running" 2>/dev/null
if [ -p "$running" ] && [ -r "$running" ] && [ -w "$running" ]; then exec 4<>"$running"; fi
exec 3<&0 </dev/null
"$@" 3<&- & server=$!
exec 4<&-
( while read -r _ <&3; do :; done; while kill -INT $server; do sleep 1; done ) 2>/dev/null & watcher=$!
exec 3<&-
wait $server; code=$?
kill $watcher 2>/dev/null
exit $code`;

/** Messages are read by us, so they have to be English; nothing else of our environment is Postgres's business. */
const environment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

export type Program = {
  readonly command: string;
  readonly args: readonly string[];
  readonly libraries: string;
  /** A pipe that the program and its children hold open for as long as one of them lives. */
  readonly running?: string;
};

export function supervise(program: Program, way: Way): Supervised {
  const { command, args, libraries, running = '' } = program;
  const shell = run(way, '/bin/sh', ['-c', script, 'postgres', command, ...args]);
  const child = spawn(shell.command, shell.args, {
    ...shell.as,
    cwd: '/',
    detached: true,
    env: { ...environment, LD_LIBRARY_PATH: libraries, running },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const lines = linesOf(child);
  // It is gone already, and its end tells.
  child.stdin?.on('error', () => undefined);
  return { ...lines, ended: endOf(child), end: () => child.stdin?.end() };
}

const kept = 8_192;

function linesOf({ stderr }: ChildProcess): Pick<Supervised, 'said' | 'onLine'> {
  let said = '';
  let rest = '';
  const listeners: ((line: string) => void)[] = [];
  stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    said = (said + chunk).slice(-kept);
    const lines = (rest + chunk).split('\n');
    rest = (lines.pop() ?? '').slice(-kept);
    for (const line of lines) for (const listener of listeners) listener(line);
  });
  return { said: () => said, onLine: (listener) => listeners.push(listener) };
}

/** `close`, not `exit`: what it said last has then been read. */
async function endOf(child: ChildProcess): Promise<number | null> {
  const failed = once(child, 'error').then(([cause]) => {
    throw cause;
  });
  const [code] = await Promise.race([once(child, 'close'), failed]);
  return code;
}
