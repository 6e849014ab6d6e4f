import { flushCompileCache } from 'node:module';
import { type Listening, listenPlainly, listenSecurely } from '../listen.ts';
import { openCertificateSource } from '../serving/certificate-source.ts';
import type { Joined } from './bundle.ts';
import type { Stage } from './stage.ts';
import { onStrays } from './strays.ts';

type Doors = Pick<Joined, 'app' | 'direct'>;
type Plain = { readonly stage: Stage; readonly port: number };

/** Behind Knative or another proxy, which ends TLS. */
export async function serveHttp(doors: Doors, { stage, port }: Plain): Promise<void> {
  const { address } = stage.settings().server;
  const listening = await listenPlainly({ address, port, ...opened(doors) });
  endInOrder(listening, { stage, alsoClose: async () => {} });
}

/** Before API servers by itself, with a mounted certificate: who would rotate one of our own is the whole program. */
export async function serveHttps(doors: Doors, stage: Stage): Promise<void> {
  const { ports, settings } = stage;
  const { address, port, minTls } = settings().server;
  const source = await openCertificateSource({ ...ports, source: 'files', cluster: undefined });
  const pair = source.current();
  if (pair === undefined) {
    const { directory } = settings().certificates;
    throw new Error(
      `there is no certificate to serve in ${directory} (tls.crt, tls.key); or set PORT for plain HTTP`,
    );
  }
  const listening = await listenSecurely({ address, port, minTls, pair, ...opened(doors) });
  source.onChange(() => {
    const next = source.current();
    if (next !== undefined) listening.setCertificate(next);
  });
  endInOrder(listening, { stage, alsoClose: source.close });
}

function opened({ app, direct }: Doors) {
  const fetch = (request: Request, env: object) =>
    new URL(request.url).pathname === '/healthz' ? new Response('ok\n') : app.fetch(request, env);
  return direct === undefined ? { fetch } : { fetch, direct };
}

type Ending = { readonly stage: Stage; alsoClose(): Promise<void> };

/** What is in flight is answered, and then the process ends by itself. */
function endInOrder(listening: Listening, { stage, alsoClose }: Ending): void {
  const { log, settings } = stage;
  log.info({ address: listening.address, port: listening.port }, 'listening');
  // A process that is ended by a signal would never write it.
  flushCompileCache();
  const close = async (): Promise<void> => {
    await listening.close(settings().server.timeoutSeconds * 1_000);
    await alsoClose();
    await stage.close();
  };
  let closed: Promise<void> | undefined;
  const end = (): Promise<void> => {
    closed ??= close().catch((cause: unknown) => {
      process.exitCode = 1;
      log.error({ err: cause }, 'it did not close in order');
    });
    return closed;
  };
  process.once('SIGTERM', end).once('SIGINT', end);
  onStrays(log, () => {
    process.exitCode = 1;
    // The timer that threw may tick on, and would keep a closed process alive.
    void end().then(() => process.exit());
  });
}
