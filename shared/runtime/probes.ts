import { Hono } from 'hono';

export type Readiness = {
  readonly ready: boolean;
  /** Ready, but something is wrong that an operator should look at. */
  readonly degraded: readonly string[];
  readonly waitingFor: readonly string[];
};

export type Probed = {
  readonly readiness: () => Promise<Readiness>;
  readonly metrics: () => Promise<{ readonly text: string; readonly contentType: string }>;
};

/** Plain HTTP on a port of its own: liveness says that the process turns, readiness that it can answer. */
export function probeApp({ readiness, metrics }: Probed): Hono {
  const app = new Hono();
  app.get('/healthz', (call) => call.text('ok\n'));
  app.get('/readyz', async (call) => {
    const state = await readiness();
    return call.json({ status: statusOf(state), ...state }, state.ready ? 200 : 503);
  });
  app.get('/metrics', async (call) => {
    const { text, contentType } = await metrics();
    return call.body(text, 200, { 'content-type': contentType });
  });
  return app;
}

function statusOf({ ready, degraded }: Readiness): 'ok' | 'degraded' | 'not ready' {
  if (!ready) return 'not ready';
  return degraded.length === 0 ? 'ok' : 'degraded';
}
