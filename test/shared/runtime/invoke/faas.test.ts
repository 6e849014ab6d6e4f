import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { faasEvents, faasRequests } from '#shared/runtime/invoke/faas.ts';
import { doorWith } from '#test/support/invoking.ts';

const context = { method: 'POST', headers: {} };

describe('faasEvents', () => {
  it('runs the event that the runtime decoded', async () => {
    const door = doorWith({ e1: { kind: 'retry', why: 'away' } });
    const message = { id: 'e1', type: 'period.elapsed.v1', data: { kind: 'period' } };
    const event = { ...message, source: '/x', gatehouseattempt: '3' };
    const answer = await faasEvents(door)(context, event);
    expect(door.seen).toEqual([{ ...message, attempt: 3 }]);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['ce-type']).toBe('function.ran.v1');
    expect(JSON.parse(answer.body)).toEqual({ kind: 'retry', why: 'away' });
  });

  it('refuses a request that was no event', async () => {
    const answer = await faasEvents(doorWith())(context);
    expect(answer.statusCode).toBe(400);
  });
});

describe('faasRequests', () => {
  const app = new Hono().all('/greet', async (call) =>
    call.json({
      method: call.req.method,
      url: call.req.url,
      type: call.req.header('content-type'),
      body: await call.req.text(),
    }),
  );
  const ask = async (more: object) => {
    const answer = await faasRequests(app, '/greet')({ ...context, ...more });
    return JSON.parse(answer.body) as Record<string, string>;
  };

  it('sends the request to the function’s own path', async () => {
    const answer = await ask({ method: 'GET', query: { name: 'Ada' } });
    expect(answer).toMatchObject({
      method: 'GET',
      url: 'http://function/greet?name=Ada',
      body: '',
    });
  });

  it.each([
    ['JSON that was parsed', { a: [1] }, '{"a":[1]}'],
    ['text', 'a=1', 'a=1'],
    ['bytes', Buffer.from('a=1'), 'a=1'],
  ])('hands on %s', async (_, body, expected) => {
    const headers = { 'content-type': 'application/json', 'content-length': '999' };
    expect(await ask({ headers, body })).toMatchObject({
      type: 'application/json',
      body: expected,
    });
  });
});
