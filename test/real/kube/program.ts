import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type Running = {
  readonly pid: number | undefined;
  /** Asks until the answer is yes; fails with the log's end when the program dies or takes too long. */
  until(what: string, holds: () => Promise<boolean>): Promise<void>;
  kill(): Promise<void>;
};

/** `setpriv --pdeathsig` is the kernel's promise that nothing is left behind, whatever kills the tests. */
export function run(path: string, args: readonly string[], log: string): Running {
  const out = openSync(log, 'w');
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', path, ...args], {
    stdio: ['ignore', out, out],
  });
  closeSync(out);
  const ended = once(child, 'exit').catch(() => undefined);

  return {
    pid: child.pid,
    async until(what, holds) {
      for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(50)) {
        if (hasEnded(child)) break;
        if (await holds()) return;
      }
      throw new Error(`${what} did not come to be:\n${readFileSync(log, 'utf8').slice(-3_000)}`);
    },
    async kill() {
      if (hasEnded(child)) return;
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Below the ephemeral range, so that no outgoing connection takes it between the look and the use. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const probe = createServer().listen(port, '127.0.0.1');
    const free = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!free) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}
