import { Hono } from 'hono';
import type { EndpointFunction } from '#shared/define.ts';
import type { Ports } from '#shared/ports.ts';
import type { Log } from '../log.ts';
import { pick } from '../pick.ts';

export type EndpointHost = { readonly ports: Ports; readonly log: Log };

/** The function's app at its path and below it. The request reaches it as it came, its path included. */
export function endpointApp(definition: EndpointFunction, { ports, log }: EndpointHost): Hono {
  const { name, uses, trigger, deadlineMs } = definition;
  const own = definition.handler(pick(ports, uses));
  const outer = new Hono();
  for (const path of [trigger.path, `${trigger.path}/*`]) {
    outer.all(path, async (call) => {
      const answer = await inTime(own.fetch(call.req.raw), deadlineMs);
      if (answer !== late) return withType(answer);
      log.warn(
        { function: name, path: call.req.path, ms: deadlineMs },
        'an endpoint took too long',
      );
      return call.text(`${name} could not answer in time\n`, 504);
    });
  }
  outer.notFound((call) => call.text(`nothing answers ${call.req.method} ${call.req.path}\n`, 404));
  outer.onError((cause, call) => {
    log.error({ function: name, path: call.req.path, err: cause }, 'an endpoint failed');
    return call.text(`${name} could not answer\n`, 500);
  });
  return outer;
}

/** Each server would guess a type of its own, and Lambda's would take bytes for text. */
function withType(answer: Response): Response {
  if (answer.body === null || answer.headers.has('content-type')) return answer;
  const headers = new Headers(answer.headers);
  headers.set('content-type', 'application/octet-stream');
  return new Response(answer.body, { status: answer.status, headers });
}

const late = Symbol('late');

async function inTime(
  answer: Response | Promise<Response>,
  ms: number,
): Promise<Response | typeof late> {
  if (!(answer instanceof Promise)) return answer;

  const { promise, resolve } = Promise.withResolvers<typeof late>();
  const timer = setTimeout(() => resolve(late), ms);
  try {
    return await Promise.race([answer, promise]);
  } finally {
    clearTimeout(timer);
  }
}
