import type { Login } from '#shared/adapters/cluster/login.ts';
import type { Definition } from '#shared/define.ts';
import type { Log } from '#shared/runtime/log.ts';
import { type Serving, serve } from '#shared/runtime/serve.ts';
import { readMigrations } from '../../../migrations/read.ts';
import type { FixedSettings } from '../../testing/settings-fixed.ts';
import { registered } from '../registered.ts';

export type Service = { stop(): Promise<void> };

export type ServiceOptions = {
  readonly login: Login;
  readonly databaseUrl: string;
  readonly settings: FixedSettings;
  readonly log: Log;
};

/** The forwarder and the worker, as `serve` starts them: two roles, since admission needs a certificate first. */
export async function startService(
  definitions: readonly Definition[],
  { login, databaseUrl, settings, log }: ServiceOptions,
): Promise<Service> {
  const migrations = await readMigrations();
  const stopping = new AbortController();
  const start = (role: 'forwarder' | 'worker'): Promise<Serving> =>
    serve({
      role,
      registry: registered(definitions),
      queue: { kind: 'postgres' },
      store: { url: databaseUrl, migrations },
      config: {
        current: settings.current,
        generation: () => 1,
        problem: () => undefined,
        warnings: () => [],
        refused: () => 0,
        close: () => {},
      },
      login,
      replica: `world-${role}`,
      log,
      stopped: stopping.signal,
    });
  const worker = await start('worker');
  const forwarder = await start('forwarder');
  return {
    async stop() {
      stopping.abort();
      await Promise.all([forwarder.stop(), worker.stop()]);
    },
  };
}
