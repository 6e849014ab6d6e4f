import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leftOver } from '#infra/embedded-postgres/left-over.ts';
import { startPostgres } from '#infra/embedded-postgres/start.ts';
import { freePort } from '../kube/program.ts';
import type { Program } from './node.ts';

/** A volume that outlives the server on it, and the address of its Service. */
export async function openVolume() {
  const port = await freePort();
  const root = await mkdtemp(join(tmpdir(), 'gatehouse-recovery-'));
  // The user whom root lends the server to has to get in.
  await chmod(root, 0o755);
  const folder = join(root, 'postgres');
  const start = async () => {
    const started = await startPostgres({
      ...{ folder, elsewhere: root, isDurable: false },
      settings: { max_connections: '200' },
      pickPort: async () => port,
    });
    const kill = async () => {
      const pid = await leftOver(join(folder, 'data'));
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
      await started.ended;
    };
    return { ...started, port, kill };
  };
  const first = await start();
  await first.stop();
  return {
    url: first.url,
    start: (): Promise<Program> => start(),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}
