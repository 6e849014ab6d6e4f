import type { Partly } from '#infra/emulator/testing/settings-fixed.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Certified } from '#test/support/certified-for-loopback.ts';
import { type Started, startGatehouse } from '#test/support/gatehouse-process.ts';
import { freshDatabase } from '#test/support/postgres.ts';

export type Replicas = {
  readonly started: readonly Started[];
  stop(): Promise<void>;
};

export type Starting = {
  readonly kubeconfig: string;
  readonly settings: Partly<Settings>;
  readonly certified: Certified;
  /** Of the admission servers, one each. */
  readonly ports: readonly number[];
  /** From them to Postgres, where that is not a straight one. */
  readonly way?: (url: string) => Promise<{ readonly url: string }>;
};

/** Admission servers, a forwarder and a worker: processes that share one Postgres, and nothing else. */
export async function startReplicas(starting: Starting): Promise<Replicas> {
  const { kubeconfig, certified, settings, ports, way } = starting;
  const database = await freshDatabase();
  const { url } = (await way?.(database.url)) ?? database;
  const start = (role: string, port: number) =>
    startGatehouse({
      kubeconfig,
      args: ['--role', role],
      env: { DATABASE_URL: url },
      settings: {
        ...settings,
        certificates: { source: 'files', directory: certified.directory },
        server: { address: '127.0.0.1', port, probePort: 0, drainSeconds: 0 },
      },
    });
  const started = await Promise.all([
    ...ports.map((port) => start('admission', port)),
    ...['forwarder', 'worker'].map((role) => start(role, 0)),
  ]);
  return {
    started,
    async stop() {
      await Promise.all(started.map((each) => each.stop('SIGKILL')));
      await database.drop();
    },
  };
}
