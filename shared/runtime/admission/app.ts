import { type Context, Hono } from 'hono';
import { parseDuration } from '#shared/domain/duration.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { answerText, unreadableText } from './answer.ts';
import { openBody } from './body.ts';
import type { Desk, Entry } from './desk.ts';
import type { Asked } from './envelope.ts';
import { fuse } from './fuse.ts';
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

function noSuchPath(call: Call): Response {
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
  const settings = host.settings();
  const opened = await openBody(call.req.raw, settings.server.maxBodyBytes);
  if (!opened.ok) {
    const { code, why, uid } = opened.unreadable;
    host.meter.unreadable(code);
    host.log.warn({ path: entry.path, code, why, uid }, 'a review could not be read');
    return json(unreadableText(opened.unreadable));
  }
  const until = started + budgetMs(settings, call.req.query('timeout'));
  const text = await decide(opened.asked, entry, host, until);
  host.meter.answered(entry.path, performance.now() - started);
  return json(text);
}

async function decide(asked: Asked, entry: Entry, host: Host, until: number): Promise<string> {
  const { verdict, steps } = await fuse(entry.functions, {
    asked,
    host,
    until,
    judge: entry.judge,
  });
  if (verdict.kind === 'deny') {
    const { uid } = asked;
    const by = steps.findLast((step) => step.verdict?.kind === 'deny')?.function.name;
    host.log.info({ uid, function: by, code: verdict.code, reasons: verdict.reasons }, 'denied');
  } else {
    host.log.debug({ uid: asked.uid, path: entry.path, answered: verdict.kind }, 'answered');
  }
  return answerText(asked, verdict);
}

/** Answers below the caller's own limit: what comes later nobody hears. */
function budgetMs({ server }: Settings, timeout: string | undefined): number {
  const stated = timeout === undefined ? undefined : statedMs(timeout);
  const limit = Math.min(server.timeoutSeconds * 1_000, stated ?? Number.POSITIVE_INFINITY);
  return limit - Math.min(250, limit / 10);
}

let lastStated: { readonly text: string; readonly ms: number | undefined } | undefined;

/** API servers say the same at every call, and to parse it costs as much as a decision. */
function statedMs(text: string): number | undefined {
  if (lastStated?.text !== text) {
    const ms = parseDuration(text);
    lastStated = { text, ms: ms !== undefined && ms > 0 ? ms : undefined };
  }
  return lastStated.ms;
}

const headers = { 'content-type': 'application/json' };

/** Node's server writes a plain string with plain headers at once; a Response by hand costs a stream. */
function json(text: string): Response {
  return new Response(text, { headers });
}
