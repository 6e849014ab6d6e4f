import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { decode, record, text } from '#shared/domain/decode.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { certifiedForLoopback } from '#test/support/certified-for-loopback.ts';
import { startDev } from '#test/support/dev-process.ts';
import { startGatehouse } from '#test/support/gatehouse-process.ts';
import { proxyTo } from '#test/support/proxy-to.ts';
import type { Stage } from './vector.ts';

export type Target = {
  readonly urls: readonly string[];
  readonly ca: string;
  readonly kubeconfig: string;
  readonly cutOff: NonNullable<Stage['cutOff']>;
};

const places = record({ kubeconfig: text, database: text });
const replicas = 2;

/**
 * Cluster and database are those of `gatehouse dev`; before them stand admission servers that reach the database by a
 * line of their own, which can be cut.
 */
export async function openOwnTarget(
  settings: JsonObject,
  opened: AsyncDisposableStack,
): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-attacked-'));
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'gatehouse.yaml');
  writeFileSync(file, stringify(settings));

  const dev = await startDev({ state: join(folder, 'state'), args: ['--config', file] });
  opened.defer(async () => {
    await dev.end();
  });
  const ready = decode(
    places,
    dev.lines.find(({ kind }) => kind === 'ready'),
  );
  if (!ready.ok) throw new Error('it does not say where everything is');
  const { kubeconfig, database } = ready.value;

  const line = await proxyTo(database);
  opened.defer(() => line.close());
  const certified = await certifiedForLoopback();
  opened.defer(() => certified.remove());
  const server = { address: '127.0.0.1', port: 0, probePort: 0, drainSeconds: 0 };
  const certificates = { source: 'files' as const, directory: certified.directory };
  const start = () =>
    startGatehouse({
      kubeconfig,
      env: { DATABASE_URL: line.url },
      settings: { ...settings, certificates, server },
    });
  const started = await Promise.all(Array.from({ length: replicas }, start));
  opened.defer(async () => {
    await Promise.all(started.map((each) => each.stop('SIGKILL')));
  });
  return {
    urls: started.map(({ port }) => `https://localhost:${port}`),
    ca: certified.ca,
    kubeconfig,
    cutOff: (isAway) => (isAway ? line.cut() : line.mend()),
  };
}
