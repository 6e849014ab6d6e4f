import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Log } from '../log.ts';
import type { Ran } from '../reconcile.ts';
import type { Message } from '../wake.ts';
import { messageFromHttp } from './cloud-event.ts';
import { headerText } from './cloud-event-out.ts';

/** One message to one function. */
export type Invoke = (message: Message, limits?: { readonly deadlineMs: number }) => Promise<Ran>;

/** Where messages come in, for the function of that name. */
export type Door = { readonly name: string; readonly invoke: Invoke; readonly log: Log };

/** A message is a reference: whatever is larger is none. */
const maxBytes = 256 * 1024;

/** A reconcile function behind HTTP: a CloudEvent in, what became of it out. */
export function eventApp(door: Door): Hono {
  const { name, invoke } = door;
  const app = new Hono();
  const tooLarge = (call: Context) => call.json(unread(`more than ${maxBytes} bytes`, door), 413);
  app.post('/', bodyLimit({ maxSize: maxBytes, onError: tooLarge }), async (call) => {
    const read = messageFromHttp(call.req.raw.headers, await call.req.text());
    if (!read.ok) return call.json(unread(read.why, door), 400);

    const ran = await invoke(read.message);
    const { status, headers, body } = answered(name, read.message, ran);
    return call.body(body, status, headers);
  });
  app.notFound((call) => call.text('events are taken by POST /\n', 404));
  return app;
}

export type Answered = {
  readonly status: 200 | 400;
  readonly headers: Record<string, string>;
  readonly body: string;
};

/** A CloudEvent again: an eventing broker takes no other answer, and a worker reads the outcome from its data. */
export function answered(name: string, { id }: Pick<Message, 'id'>, ran: Ran): Answered {
  const contentType = { 'content-type': 'application/json' };
  const body = JSON.stringify(ran);
  if (ran.kind === 'undecodable') return { status: 400, headers: contentType, body };

  const event = {
    'ce-specversion': '1.0',
    'ce-id': headerText(`${id}/outcome`),
    'ce-source': `/functions/${name}`,
    'ce-type': 'function.ran.v1',
  };
  return { status: 200, headers: { ...contentType, ...event }, body };
}

/** What is no message never reaches the loop, so it is logged here. */
export function unread(why: string, { name, log }: Door): Ran {
  log.error({ function: name, why }, 'a message is undecodable');
  return { kind: 'undecodable', why };
}
