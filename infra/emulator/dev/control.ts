import { randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import { listenPlainly } from '#shared/runtime/listen.ts';
import { usageOf } from '../world/faults/apply-fault.ts';
import { faults } from '../world/faults/table.ts';

/** By which a running emulator is told what to break. */
export type Control = {
  readonly url: string;
  /** Whoever may read our folder may break things; a page in a browser may not. */
  readonly token: string;
  close(): Promise<void>;
};

export async function openControl(apply: (stated: unknown) => Promise<void>): Promise<Control> {
  const token = randomBytes(24).toString('base64url');
  const app = new Hono();
  app.use(async (context, next) => {
    const isKnown = context.req.header('authorization') === `Bearer ${token}`;
    return isKnown ? next() : context.json({ why: 'the token of endpoints.json is needed' }, 401);
  });
  app.get('/faults', (context) =>
    context.json(
      faults.map((fault) => ({ usage: usageOf(fault), breaks: fault.breaks, until: fault.until })),
    ),
  );
  app.post('/faults', async (context) => {
    try {
      await apply(await context.req.json());
      return context.json({ kind: 'turned' });
    } catch (cause: unknown) {
      return context.json(refusalOf(cause), 400);
    }
  });
  const listening = await listenPlainly({ address: '127.0.0.1', port: 0, fetch: app.fetch });
  return {
    url: `http://127.0.0.1:${listening.port}`,
    token,
    close: () => listening.close(0),
  };
}

/** What was written wrongly is told from what is not possible now. */
function refusalOf(cause: unknown): { readonly why: string; readonly isMisread: boolean } {
  if (!(cause instanceof Error)) return { why: String(cause), isMisread: false };
  const isMisread = cause.name === 'FaultRefused' || cause instanceof SyntaxError;
  return { why: cause.message, isMisread };
}
