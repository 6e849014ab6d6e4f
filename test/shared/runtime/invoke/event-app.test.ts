import { describe, expect, it } from 'vitest';
import { eventApp } from '#shared/runtime/invoke/event-app.ts';
import { doorWith, eventOf } from '#test/support/invoking.ts';

const structured = { 'content-type': 'application/cloudevents+json' };

function post(app: ReturnType<typeof eventApp>, body: string, headers = structured) {
  return app.request('/', { method: 'POST', body, headers });
}

describe('eventApp', () => {
  it('answers with the outcome, as an event that a broker takes', async () => {
    const door = doorWith({ e1: { kind: 'later', afterSeconds: 5 } });
    const response = await post(eventApp(door), eventOf('e1'));
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'application/json',
      'ce-specversion': '1.0',
      'ce-id': 'e1/outcome',
      'ce-source': '/functions/follow-maps',
      'ce-type': 'function.ran.v1',
    });
    expect(await response.json()).toEqual({ kind: 'later', afterSeconds: 5 });
  });

  it.each(['retry', 'give-up'] as const)('answers 200 for %s: the caller decides', async (kind) => {
    const response = await post(eventApp(doorWith({ e1: { kind, why: 'away' } })), eventOf('e1'));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ kind, why: 'away' });
  });

  it('answers 400 for what nobody can decode, so that nobody sends it again', async () => {
    const door = doorWith({ e1: { kind: 'undecodable', why: '$.uid: expected text' } });
    const response = await post(eventApp(door), eventOf('e1'));
    expect(response.status).toBe(400);
    expect(response.headers.has('ce-type')).toBe(false);
    expect(await response.json()).toEqual({ kind: 'undecodable', why: '$.uid: expected text' });
  });

  it('answers 400 for what is no event, and logs why', async () => {
    const door = doorWith();
    const response = await post(eventApp(door), '{', structured);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ kind: 'undecodable', why: 'the body is not JSON' });
    expect(door.seen).toEqual([]);
    expect(door.log.lines).toMatchObject([{ level: 'error', fields: { function: 'follow-maps' } }]);
  });

  it('answers 413 for a body that is no message', async () => {
    const door = doorWith();
    const response = await post(eventApp(door), eventOf('e1', 'x'.repeat(300_000)));
    expect(response.status).toBe(413);
    expect(door.seen).toEqual([]);
  });

  it('answers 404 elsewhere', async () => {
    expect((await eventApp(doorWith()).request('/other')).status).toBe(404);
  });
});
