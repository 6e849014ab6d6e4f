import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { done, giveUp, later, type Outcome, retry } from '#shared/domain/outcome.ts';
import { messageFromHttp } from '#shared/runtime/invoke/cloud-event.ts';
import { eventRequest } from '#shared/runtime/invoke/cloud-event-out.ts';
import { eventApp } from '#shared/runtime/invoke/event-app.ts';
import { post } from '#shared/runtime/invoke/knative.ts';
import { ranFrom } from '#shared/runtime/invoke/knative-answer.ts';
import { type Listening, listenPlainly } from '#shared/runtime/listen.ts';
import { doorWith } from '#test/support/invoking.ts';
import { logRecorded, mapChanged } from '#test/support/running.ts';

const message = { id: 'uid-1/7/MODIFIED', type: 'object.changed.v1', data: mapChanged() };
const modes = ['binary', 'structured'] as const;
const oddIds = ['ü\r\n"50 %"', '%C3', '🦊 %2F'];

describe('eventRequest', () => {
  it.each(modes)('is read back as it was written, in %s mode', (mode) => {
    for (const id of [message.id, ...oddIds]) {
      const odd = { ...message, id, attempt: 3 };
      const { headers, body } = eventRequest(odd, mode);
      expect(messageFromHttp(new Headers(headers), body)).toEqual({ ok: true, message: odd });
    }
  });

  it('writes no byte into a header that does not belong there', () => {
    const { headers } = eventRequest({ ...message, id: 'ü\r\n"50 %"' }, 'binary');
    expect(headers['ce-id']).toBe('%C3%BC%0D%0A%2250%20%25%22');
  });
});

describe('ranFrom', () => {
  const now = new Date('2030-01-01T00:00:00Z');
  const at = (status: number, headers: Record<string, string> = {}, body = '') =>
    ranFrom({ status, headers: new Headers(headers), body }, now);
  const event = { 'ce-type': 'function.ran.v1' };
  type Row = [string, Outcome | object, ReturnType<typeof at>];
  const encoded = Buffer.from('{"kind":"later","afterSeconds":5}').toString('base64');
  const structured = { 'content-type': 'application/cloudevents+json' };

  it.each<Row>([
    ['200 without a word', done, at(200)],
    ['202', done, at(202, {}, 'accepted')],
    ['200 with an event of its own', done, at(200, { 'ce-type': 'other.v1' }, '{}')],
    ['an outcome', later(5), at(200, event, '{"kind":"later","afterSeconds":5}')],
    ['a give-up', giveUp('never'), at(200, event, '{"kind":"give-up","why":"never"}')],
    [
      'an outcome in structured mode',
      retry('away'),
      at(200, structured, '{"type":"function.ran.v1","data":{"kind":"retry","why":"away"}}'),
    ],
    [
      'an outcome in structured mode, however its type is written',
      retry('away'),
      at(
        200,
        { 'content-type': 'Application/CloudEvents+JSON ;charset=UTF-8' },
        '{"type":"function.ran.v1","data":{"kind":"retry","why":"away"}}',
      ),
    ],
    [
      'an outcome in base64',
      later(5),
      at(200, structured, JSON.stringify({ type: 'function.ran.v1', data_base64: encoded })),
    ],
    [
      'base64 of something else',
      retry('the service answered with no outcome'),
      at(200, structured, '{"type":"function.ran.v1","data_base64":"bm8="}'),
    ],
    [
      'an outcome whose type comes in bytes',
      later(5),
      at(200, { 'ce-type': 'function%2Eran.v1' }, '{"kind":"later","afterSeconds":5}'),
    ],
    ['structured mode without an event', done, at(200, structured, 'ok')],
    ['another event in structured mode', done, at(200, structured, '{"type":"other","data":{}}')],
    [
      'what is no outcome',
      retry('the service answered with no outcome'),
      at(200, event, '{"kind":"maybe"}'),
    ],
    [
      '400 that says undecodable',
      { kind: 'undecodable', why: 'no JSON' },
      at(400, {}, '{"kind":"undecodable","why":"no JSON"}'),
    ],
    ['400 that says something else', retry('the service answered 400'), at(400, {}, 'no')],
    ['404', retry('the service answered 404'), at(404)],
    ['429 with seconds', later(7), at(429, { 'retry-after': '7' })],
    ['503 with a date', later(60), at(503, { 'retry-after': 'Tue, 01 Jan 2030 00:01:00 GMT' })],
    ['429 with a day', later(300), at(429, { 'retry-after': '86400' })],
    ...['Mon, 31 Dec 2029', '0', '1.5', '-5'].map(
      (said): Row => [
        `503 after ${said}, which is no time to wait for`,
        retry('the service answered 503'),
        at(503, { 'retry-after': said }),
      ],
    ),
    ['429 after 0', retry('the service answered 429'), at(429, { 'retry-after': '0' })],
    ['503 with neither', retry('the service answered 503'), at(503, { 'retry-after': 'soon' })],
    ['503', retry('the service answered 503'), at(503)],
    ['a redirect', retry('the service answered 302'), at(302, { location: '/elsewhere' })],
    [
      '500 that says undecodable',
      retry('the service answered 500'),
      at(500, {}, '{"kind":"undecodable","why":"no JSON"}'),
    ],
  ])('takes %s as it is meant', (_, expected, ran) => {
    expect(ran).toEqual(expected);
  });
});

describe('post', () => {
  let listening: Listening | undefined;
  let server: Server | undefined;

  afterEach(async () => {
    await listening?.close(0);
    server?.closeAllConnections();
    server?.close();
    listening = undefined;
    server = undefined;
  });

  const posting = (port: number, more: object = {}) => ({
    url: `http://127.0.0.1:${port}/`,
    mode: 'binary' as const,
    deadlineMs: 1_000,
    stopped: new AbortController().signal,
    log: logRecorded(),
    ...more,
  });

  async function answering(
    answer: (request: IncomingMessage, response: ServerResponse) => string | undefined,
  ) {
    server = createServer((request, response) => {
      const body = answer(request, response);
      if (body !== undefined) response.end(body);
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    server.listen(0, '127.0.0.1', resolve);
    await promise;
    return (server.address() as AddressInfo).port;
  }

  it.each(modes)(
    'brings our own function its message and its outcome back, in %s mode',
    async (mode) => {
      const fate = later(30);
      const sent = [message.id, ...oddIds].map((id) => ({ ...message, id }));
      const door = doorWith(Object.fromEntries(sent.map(({ id }) => [id, fate])));
      const { fetch } = eventApp(door);
      listening = await listenPlainly({ address: '127.0.0.1', port: 0, fetch });
      for (const each of sent) {
        expect(await post(each, posting(listening.port, { mode }))).toEqual(fate);
      }
      expect(door.seen).toEqual(sent);
    },
  );

  it.each([302, 307, 308])('follows nobody elsewhere, with %i', async (status) => {
    const asked: (string | undefined)[] = [];
    const port = await answering(({ url }, response) => {
      asked.push(url);
      if (url === '/') response.writeHead(status, { location: '/elsewhere' });
      return '';
    });
    expect(await post(message, posting(port))).toEqual(retry(`the service answered ${status}`));
    expect(asked).toEqual(['/']);
  });

  it('asks again later where nobody listens', async () => {
    const port = await answering(() => '');
    server?.close();
    expect(await post(message, posting(port))).toEqual(retry('the service did not answer'));
  });

  it('reads no answer without an end', async () => {
    const port = await answering(() => 'x'.repeat(100_000));
    expect(await post(message, posting(port))).toEqual(retry('the service did not answer'));
  });

  it('waits for no answer beyond the deadline and a cold start', async () => {
    const port = await answering(() => undefined);
    const ran = await post(message, posting(port, { deadlineMs: 50 - 30_000 }));
    expect(ran).toEqual(retry('the service did not answer'));
  });

  it('ends with the worker, whatever the service does', async () => {
    const stopping = new AbortController();
    const port = await answering((request) => {
      void text(request).then(() => stopping.abort());
      return undefined;
    });
    const began = performance.now();
    const ran = await post(message, posting(port, { stopped: stopping.signal }));
    expect(ran).toEqual(retry('the service did not answer'));
    // Of its own it would end after 31 s.
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
