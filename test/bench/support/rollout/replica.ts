import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { type Started, start } from '../processes.ts';
import { writeConfig } from '../program.ts';
import { freePort } from '../server.ts';
import { nodeFlags } from '../subjects.ts';
import { namespace, service } from './cluster.ts';

export type Replica = Started & { readonly port: number };

export type Installation = {
  readonly command: string;
  readonly directory: string;
  readonly kubeconfig: string;
};

/** Half of it still with keep-alive: longer than it takes callers to learn of an end. */
export const drainSeconds = 6;

/** Renewal begins when half of a life is over and is looked for every 5 s: a rotation about every 30 s. */
const certificates = {
  caLifetime: '50s',
  leafLifetime: '50s',
  renewBefore: '25s',
  settle: '4s',
};

/** Like a pod: each has a name and a port of its own. Returns when it says that it is ready. */
export async function startReplica(count: number, place: Installation): Promise<Replica> {
  const { command, directory, kubeconfig } = place;
  const [port, probePort] = [await freePort(), await freePort()];
  const name = `gatehouse-admission-${count}`;
  const config = writeConfig(join(directory, `${name}.yaml`), {
    log: { level: 'error' },
    installation: { namespace, service },
    server: { address: '127.0.0.1', port, probePort, drainSeconds },
    certificates,
  });
  const args = ['serve', '--role', 'admission', '--config', config];
  const log = join(directory, `${name}.log`);
  const started = start({
    core: 'servers',
    command: [process.execPath, ...nodeFlags, command, ...args],
    env: { KUBECONFIG: kubeconfig, POD_NAME: name, POD_NAMESPACE: namespace },
    stdio: ['ignore', 'ignore', openSync(log, 'w')],
  });
  await untilReady(started, probePort).catch((cause: unknown) => {
    throw new Error(`${name}: ${readFileSync(log, 'utf8').slice(-2_000)}`, { cause });
  });
  return { ...started, port };
}

async function untilReady({ child }: Started, probePort: number): Promise<void> {
  const giveUpAt = performance.now() + 60_000;
  while (!(await isReady(probePort))) {
    if (child.exitCode !== null) throw new Error(`a replica ended with ${child.exitCode}`);
    if (performance.now() > giveUpAt) throw new Error('a replica did not become ready');
    await after(100);
  }
}

function isReady(probePort: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${probePort}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  );
}
