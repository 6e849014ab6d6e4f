import { flushCompileCache } from 'node:module';
import { type Listening, listenPlainly, listenSecurely } from '../listen.ts';
import type { App } from './bundle.ts';
import type { Stage } from './stage.ts';

type Plain = { readonly stage: Stage; readonly port: number };

/** Behind Knative or another proxy, which ends TLS. */
export async function serveHttp(app: App, { stage, port }: Plain): Promise<void> {
  const { address } = stage.settings().server;
  const listening = await listenPlainly({ address, port, fetch: probed(app) });
  endInOrder(listening, { stage, alsoClose: async () => {} });
}

/** Before API servers by itself, with a mounted certificate: who would rotate one of our own is the whole program. */
export async function serveHttps(app: App, stage: Stage): Promise<void> {
  const { openCertificateSource } = await import('../serving/certificate-source.ts');
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
  const listening = await listenSecurely({ address, port, minTls, pair, fetch: probed(app) });
  source.onChange(() => {
    const next = source.current();
    if (next !== undefined) listening.setCertificate(next);
  });
  endInOrder(listening, { stage, alsoClose: source.close });
}

function probed(app: App) {
  return (request: Request, env: object) =>
    new URL(request.url).pathname === '/healthz' ? new Response('ok\n') : app.fetch(request, env);
}

type Ending = { readonly stage: Stage; alsoClose(): Promise<void> };

/** What is in flight is answered, and then the process ends by itself. */
function endInOrder(listening: Listening, { stage, alsoClose }: Ending): void {
  const { log, settings } = stage;
  log.info({ address: listening.address, port: listening.port }, 'listening');
  // A process that is ended by a signal would never write it.
  flushCompileCache();
  const end = async (): Promise<void> => {
    await listening.close(settings().server.timeoutSeconds * 1_000);
    await alsoClose();
    await stage.close();
  };
  process.once('SIGTERM', end).once('SIGINT', end);
}
