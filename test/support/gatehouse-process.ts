import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Partly } from '#infra/emulator/testing/settings-fixed.ts';
import type { Settings } from '#shared/domain/settings.ts';

export type Started = {
  readonly port: number;
  readonly probePort: number;
  readonly log: () => string;
  configure(settings: Partly<Settings> | string): void;
  /** By whatever. */
  readonly ended: Promise<unknown>;
  /** The exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
};

export type Starting = {
  readonly settings: Partly<Settings>;
  readonly kubeconfig: string;
  readonly args?: readonly string[];
  /** Beside what the tests themselves have. */
  readonly env?: Readonly<Record<string, string>>;
  /** By `infra/on-node.mjs`, as npm runs it, in a group of its own: what it is told, all of the group are. */
  readonly isGroup?: boolean;
};

/** The command as a user runs it, in a process of its own. */
export async function startGatehouse(starting: Starting): Promise<Started> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'));
  const file = join(directory, 'config.yaml');
  const configure = (settings: Partly<Settings> | string) =>
    writeFileSync(file, typeof settings === 'string' ? settings : stringify(settings));
  configure(starting.settings);

  const infra = join(import.meta.dirname, '../../infra');
  const { isGroup = false, args = ['--role', 'admission'], kubeconfig, env } = starting;
  const child = spawn(
    process.execPath,
    [
      ...(isGroup ? [join(infra, 'on-node.mjs')] : []),
      join(infra, 'cli/main.ts'),
      ...['serve', '--config', file, '--kubeconfig', kubeconfig, ...args],
    ],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...env },
      detached: isGroup,
    },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const log = collected(child);
  const { port, probePort } = await serving(child, log);
  return {
    port,
    probePort,
    log,
    configure,
    ended,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) {
        if (isGroup) process.kill(-(child.pid ?? 0), signal);
        else child.kill(signal);
        await once(child, 'exit');
      }
      rmSync(directory, { recursive: true, force: true });
      return child.exitCode;
    },
  };
}

function collected(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

function serving(child: ChildProcess, log: () => string) {
  return new Promise<{ readonly port: number; readonly probePort: number }>((resolve, reject) => {
    const impatient = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`it does not serve:\n${log()}`));
    }, 30_000);
    child.once('exit', () => clearTimeout(impatient));
    child.once('exit', () => reject(new Error(`it ended before it served:\n${log()}`)));
    child.stderr?.on('data', () => {
      const line = log()
        .split('\n')
        .find((each) => each.includes('"msg":"serving"'));
      if (line === undefined) return;
      clearTimeout(impatient);
      resolve(JSON.parse(line));
    });
  });
}
