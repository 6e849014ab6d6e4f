import { Hono } from 'hono';

export type Readiness = {
  readonly ready: boolean;
  /** Ready, but something is wrong that an operator should look at. */
  readonly degraded: readonly string[];
  readonly waitingFor: readonly string[];
};

export type Probed = {
  readonly readiness: () => Promise<Readiness>;
  /** What stands still, and will not go on without a new process. */
  readonly still: () => readonly string[];
  readonly metrics: () => Promise<{ readonly text: string; readonly contentType: string }>;
};

/**
 * Plain HTTP on a port of its own: liveness says that the process turns, and that none of its loops stands still; readiness
 * that it can answer.
 */
export function probeApp({ readiness, still, metrics }: Probed): Hono {
  const app = new Hono();
  app.get('/healthz', (call) => {
    const loops = still();
    return loops.length === 0
      ? call.text('ok\n')
      : call.text(`stands still: ${loops.join(', ')}\n`, 503);
  });
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
