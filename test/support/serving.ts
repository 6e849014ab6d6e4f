import { connect, createServer, type Socket } from 'node:net';
import { type Partly, settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { readMigrations } from '#infra/migrations/read.ts';
import type { ReconcileFunction } from '#shared/define.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { openRegistry } from '#shared/runtime/registry.ts';
import { serve } from '#shared/runtime/serve.ts';
import type { ServeOptions } from '#shared/runtime/serving/house.ts';
import { logRecorded } from './running.ts';

export type Inside = {
  readonly functions?: readonly ReconcileFunction[];
  readonly settings?: Partly<Settings>;
  readonly databaseUrl?: string;
} & Partial<ServeOptions>;

/** A role in this very process, without a cluster. */
export async function serveInside({ functions = [], settings = {}, databaseUrl, ...more }: Inside) {
  const fixed = settingsFixed({
    ...settings,
    server: { address: '127.0.0.1', port: 0, probePort: 0, drainSeconds: 0 },
  });
  let generation = 1;
  const found = functions.map((exported) => {
    return { file: `functions/samples/${exported.name}.ts`, exported, origin: 'built-in' as const };
  });
  const registered = openRegistry(found);
  if (!registered.ok) throw new Error(JSON.stringify(registered.problems));
  const log = logRecorded();
  const stopping = new AbortController();
  const serving = await serve({
    role: 'worker',
    registry: registered.registry,
    queue: { kind: 'postgres' },
    config: {
      current: fixed.current,
      generation: () => generation,
      problem: () => undefined,
      warnings: () => [],
      refused: () => 0,
      close: () => {},
    },
    login: undefined,
    replica: 'one',
    log,
    stopped: stopping.signal,
    ...(databaseUrl === undefined
      ? {}
      : { store: { url: databaseUrl, migrations: await readMigrations() } }),
    ...more,
  });
  const readiness = async () => {
    const answer = await fetch(`http://127.0.0.1:${serving.probePort}/readyz`);
    return { code: answer.status, ...((await answer.json()) as object) };
  };
  const change = (next: Partly<Settings>) => {
    fixed.change(next);
    generation += 1;
  };
  return { ...serving, log, change, readiness };
}

/** A way to a server that can be cut, and mended again under the same address. */
export async function openWay(to: string) {
  const target = new URL(to);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(target.port), target.hostname);
    for (const each of [near, far]) {
      sockets.add(each);
      each.on('error', () => each.destroy()).on('close', () => sockets.delete(each));
    }
    near.pipe(far).pipe(near);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: Object.assign(new URL(to), { host: `127.0.0.1:${port}` }).href,
    cut() {
      isCut = true;
      for (const each of sockets) each.destroy();
    },
    mend() {
      isCut = false;
    },
    close() {
      for (const each of sockets) each.destroy();
      server.close();
    },
  };
}
