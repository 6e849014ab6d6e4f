import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startKube } from '#test/real/kube/start.ts';
import { residentOf } from '../forwarder/memory.ts';
import { alsoStop } from '../support/processes.ts';

/** An API server under load, ours or the real one. */
export type ApiServer = {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
  /** MiB of all its processes; of the real one etcd is a part. */
  memory(): number;
};

export async function startOurs(directory: string): Promise<ApiServer> {
  const program = join(import.meta.dirname, 'cluster-process.ts');
  const child = spawn(process.execPath, [program, join(directory, 'cluster')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  alsoStop(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { kubeconfig } = JSON.parse(String(line)) as { readonly kubeconfig: string };
  return { ...loginIn(kubeconfig), memory: () => residentOf(child.pid ?? 0).now };
}

export async function startReal(): Promise<ApiServer> {
  const kube = await startKube();
  alsoStop(kube.stop);
  const { url, ca, token, directory } = kube;
  const memory = () => pidsOf(directory).reduce((sum, pid) => sum + residentOf(pid).now, 0);
  return { url, ca, token, memory };
}

/** A kubeconfig of ours is JSON, with one cluster and one user. */
function loginIn(kubeconfig: string) {
  const { clusters, users } = JSON.parse(kubeconfig) as {
    readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
    readonly users: readonly [{ readonly user: { readonly token: string } }];
  };
  const { server = '', 'certificate-authority-data': ca = '' } = clusters[0].cluster;
  return { url: server, ca: Buffer.from(ca, 'base64').toString(), token: users[0].user.token };
}

/** Whose command line names the folder. */
function pidsOf(directory: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => commandOf(pid).includes(directory))
    .map(Number);
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // It ended while we looked.
    return '';
  }
}
