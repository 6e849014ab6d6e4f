import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A folder of bundles, and what their processes are told by the environment. */
export type Shelf = {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
};

export type Served = { readonly port: number; stop(): Promise<number | null> };

/** Runs a bundle as the program that it is, until it says where it listens. */
export async function serveBundle(
  name: string,
  { directory, environment }: Shelf,
): Promise<Served> {
  const child = spawn(process.execPath, [join(directory, `${name}.mjs`)], {
    env: { ...onlyPath(), ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const port = await portOf(child, name);
  return {
    port,
    async stop() {
      child.kill('SIGTERM');
      const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
      return code;
    },
  };
}

function portOf({ stderr }: ChildProcess, name: string): Promise<number> {
  if (stderr === null) throw new Error('its errors go elsewhere');
  const said: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  // Read to its end: a process whose errors nobody reads stops when it writes one too many.
  createInterface({ input: stderr })
    .on('line', (line) => {
      said.push(line);
      const { port } = line.startsWith('{') ? JSON.parse(line) : {};
      if (typeof port === 'number') resolve(port);
    })
    .on('close', () => reject(new Error(`${name} ended before it listened:\n${said.join('\n')}`)));
  return promise;
}

export type Lambda = {
  invoke(event: object): Promise<unknown>;
  stop(): void;
};

/** A process that does what AWS's runtime does: imports the bundle, and calls its handler. */
export function lambdaOf(name: string, { directory, environment }: Shelf): Lambda {
  const runtime = join(import.meta.dirname, 'lambda-runtime.mjs');
  const child = fork(runtime, [join(directory, `${name}.mjs`)], {
    env: { ...onlyPath(), ...environment },
    // Not those of the test's own process.
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  return {
    async invoke(event) {
      child.send(event);
      const [{ answer, failed }] = await once(child, 'message');
      if (failed !== undefined) throw new Error(failed);
      return answer;
    },
    stop: () => {
      child.kill();
    },
  };
}

function onlyPath() {
  return { PATH: process.env['PATH'] ?? '' };
}
