import type { Message } from '../wake.ts';
import type { App } from './bundle.ts';
import { attemptIn } from './cloud-event.ts';
import { answered, type Door, unread } from './event-app.ts';

/** What Knative's functions runtime for Node hands over, as far as it is read here. */
export type FaasContext = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

export type FaasEvent = Message & { readonly gatehouseattempt?: unknown };

export type FaasAnswer = {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** The runtime has decoded the CloudEvent already. */
export function faasEvents(door: Door) {
  return async (_: FaasContext, event?: FaasEvent): Promise<FaasAnswer> => {
    const { id = '', type = '', data, gatehouseattempt } = event ?? {};
    const ran =
      event === undefined
        ? unread('expected a CloudEvent', door)
        : await door.invoke({ id, type, data, attempt: attemptIn(gatehouseattempt) });
    const { status, headers, body } = answered(door.name, { id }, ran);
    return { statusCode: status, headers, body };
  };
}

/** The runtime knows one path only, so the request is sent to the function's own. */
export function faasRequests(app: App, path: string) {
  return async (context: FaasContext): Promise<FaasAnswer> => {
    const response = await app.fetch(requestOf(context, path));
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    };
  };
}

function requestOf({ method, headers, query = {}, body }: FaasContext, path: string): Request {
  const url = new URL(path, 'http://function');
  url.search = new URLSearchParams(query).toString();
  const given = Object.entries(headers).filter(([name]) => name !== 'content-length');
  return new Request(url, {
    method,
    headers: given.map(([name, value]): [string, string] => [name, String(value)]),
    ...(body === undefined || body === null ? {} : { body: textOf(body) }),
  });
}

/** JSON comes parsed, anything else as it was. */
function textOf(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
}
