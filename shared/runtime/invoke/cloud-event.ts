import {
  anything,
  choice,
  decode,
  describe,
  maybe,
  record,
  refine,
  text,
} from '#shared/domain/decode.ts';
import { jsonIn } from '#shared/domain/json.ts';
import type { Message } from '../wake.ts';

export type Read =
  | { readonly ok: true; readonly message: Message }
  | { readonly ok: false; readonly why: string };

const filled = refine(text, (value) => value !== '', 'a text that is not empty');

/** CloudEvents 1.0, as far as a message of ours needs it. What extends it is let be. */
const envelope = record({
  specversion: choice('1.0'),
  id: filled,
  source: filled,
  type: filled,
  gatehouseattempt: maybe(anything),
  data: maybe(anything),
  data_base64: maybe(text),
});

const structured = 'application/cloudevents+json';

/** The structured mode, which is also how a message lies in a queue. */
export function messageFrom(body: string): Read {
  const event = jsonIn(body);
  return event === undefined ? { ok: false, why: 'the body is not JSON' } : opened(event);
}

/** Either mode: the whole event in the body, or its context in headers and the data in the body. */
export function messageFromHttp(headers: Headers, body: string): Read {
  const contentType = mediaType(headers.get('content-type'));
  if (contentType === structured) return messageFrom(body);
  if (!headers.has('ce-specversion')) {
    return { ok: false, why: `expected a CloudEvent: ${structured}, or ce- headers` };
  }
  const data = jsonIn(body);
  if (data === undefined && body !== '') return { ok: false, why: 'the data is not JSON' };

  const stated = Object.fromEntries(
    ['specversion', 'id', 'source', 'type', 'gatehouseattempt'].map((name) => [
      name,
      unescaped(headers, `ce-${name}`),
    ]),
  );
  return opened({ ...stated, data });
}

export type Answer = { readonly type: string; readonly data: unknown };

const answer = record({ type: text, data: maybe(anything), data_base64: maybe(text) });

/** Of an answer, in either mode, only type and data count. `undefined`: it is no event. Data that are not JSON are none. */
export function answerFromHttp(headers: Headers, body: string): Answer | undefined {
  if (mediaType(headers.get('content-type')) !== structured) {
    const type = unescaped(headers, 'ce-type');
    return type === undefined ? undefined : { type, data: jsonIn(body) };
  }
  const read = decode(answer, jsonIn(body));
  return read.ok ? { type: read.value.type, data: dataIn(read.value) } : undefined;
}

/** As the HTTP binding has it: what no header can carry comes as the bytes of its UTF-8. */
function unescaped(headers: Headers, name: string): string | undefined {
  return headers
    .get(name)
    ?.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
      Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'),
    );
}

function mediaType(contentType: string | null): string | undefined {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase();
}

function opened(stated: unknown): Read {
  const result = decode(envelope, stated);
  if (!result.ok) {
    return { ok: false, why: `not a CloudEvent: ${describe(result.problems[0])}` };
  }
  const { id, type, gatehouseattempt, data_base64: encoded } = result.value;
  const data = dataIn(result.value);
  if (encoded !== undefined && data === undefined) {
    return { ok: false, why: 'the data is not JSON' };
  }
  return { ok: true, message: { id, type, data, attempt: attemptIn(gatehouseattempt) } };
}

/** As a worker of ours adds it: a number, and a text where it came in a header. */
export function attemptIn(stated: unknown): number | undefined {
  const isPlain = typeof stated === 'number' || typeof stated === 'string';
  return isPlain && /^\d{1,9}$/.test(`${stated}`) ? Number(stated) : undefined;
}

type Carried = { readonly data?: unknown; readonly data_base64?: string | undefined };

function dataIn({ data, data_base64: encoded }: Carried): unknown {
  return encoded === undefined ? data : jsonIn(Buffer.from(encoded, 'base64').toString('utf8'));
}
