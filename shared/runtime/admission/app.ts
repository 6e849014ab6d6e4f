import { type Context, Hono } from 'hono';
import { answerReview } from './answer-review.ts';
import { openBody } from './body.ts';
import type { Desk, Entry } from './desk.ts';
import type { Host } from './host.ts';

/** What Node's server hands on beside the request; a test or a Lambda has none of it. */
type Bindings = { readonly incoming?: { readonly socket?: { readonly servername?: unknown } } };
type Call = Context<{ Bindings: Bindings }>;

/** The same app stands behind Node's server, Knative, Lambda and `app.request()`. */
export function admissionApp(desk: Desk, host: Host): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>();
  // The desk finds by the whole path: a router's patterns cost more than a decision.
  app.post('*', (call) => {
    const entry = desk.at(call.req.path, () => namesCalled(call));
    return entry === undefined ? noSuchPath(call) : answer(call, entry, host);
  });
  app.notFound(noSuchPath);
  app.onError((cause, call) => {
    host.log.error({ path: call.req.path, err: cause }, 'a review could not be answered');
    return call.text('this review could not be answered\n', 500);
  });
  return app;
}

export function noSuchPath(call: Pick<Context, 'req' | 'text'>): Response {
  return call.text(`nothing answers ${call.req.method} ${call.req.path}\n`, 404);
}

/** By which Service it was called: both what it asked for (Host) and whom it trusts (SNI) can say. */
function namesCalled(call: Call): readonly string[] {
  const servername = call.env?.incoming?.socket?.servername;
  const host = call.req.header('host') ?? '';
  return [host, typeof servername === 'string' ? servername : ''];
}

async function answer(call: Call, entry: Entry, host: Host): Promise<Response> {
  const started = performance.now();
  const opened = await openBody(call.req.raw, host.settings().server.maxBodyBytes);
  const timeout = call.req.query('timeout');
  return json(await answerReview(opened, entry, host, { started, timeout }));
}

const headers = { 'content-type': 'application/json' };

/** Node's server writes a plain string with plain headers at once; a Response by hand costs a stream. */
function json(text: string): Response {
  return new Response(text, { headers });
}
