import { describe, expect, it } from 'vitest';
import { messageFrom, messageFromHttp } from '#shared/runtime/invoke/cloud-event.ts';

const event = {
  specversion: '1.0',
  id: 'uid-1/7/modified',
  source: '/clusters/default',
  type: 'object.changed.v1',
  data: { name: 'one' },
};
const message = { id: event.id, type: event.type, data: event.data };
const binary = {
  'ce-specversion': '1.0',
  'ce-id': event.id,
  'ce-source': event.source,
  'ce-type': event.type,
  'content-type': 'application/json',
};

function readHttp(headers: Record<string, string>, body: string) {
  return messageFromHttp(new Headers(headers), body);
}

describe('messageFrom', () => {
  it('reads an event as it lies in a queue', () => {
    expect(messageFrom(JSON.stringify(event))).toEqual({ ok: true, message });
  });

  it('lets extensions be', () => {
    const more = { ...event, subject: 'one', traceparent: '00-1-2-01' };
    expect(messageFrom(JSON.stringify(more))).toEqual({ ok: true, message });
  });

  it.each([
    [3, 3],
    ['3', 3],
    ['three', undefined],
    [-1, undefined],
    [null, undefined],
    [{ toString: 1 }, undefined],
    [[[3]], undefined],
  ])('takes %o for the attempts before it as %o', (gatehouseattempt, attempt) => {
    const read = messageFrom(JSON.stringify({ ...event, gatehouseattempt }));
    expect(read).toEqual({ ok: true, message: { ...message, attempt } });
  });

  it('reads data that came in base64', () => {
    const { data, ...bare } = event;
    const encoded = Buffer.from(JSON.stringify(data)).toString('base64');
    const read = messageFrom(JSON.stringify({ ...bare, data_base64: encoded }));
    expect(read).toEqual({ ok: true, message });
  });

  it.each([
    ['what is not JSON', '{', 'the body is not JSON'],
    ['another version', JSON.stringify({ ...event, specversion: '0.3' }), '$.specversion'],
    ['an event without an id', JSON.stringify({ ...event, id: undefined }), '$.id'],
    ['an empty type', JSON.stringify({ ...event, type: '' }), '$.type'],
    [
      'base64 of something else',
      JSON.stringify({ ...event, data_base64: 'bm8=' }),
      'the data is not JSON',
    ],
  ])('refuses %s', (_, body, why) => {
    expect(messageFrom(body)).toEqual({ ok: false, why: expect.stringContaining(why) });
  });
});

describe('messageFromHttp', () => {
  it.each(['application/cloudevents+json', 'application/cloudevents+json; charset=utf-8'])(
    'reads the structured mode by %s',
    (contentType) => {
      const read = readHttp({ 'content-type': contentType }, JSON.stringify(event));
      expect(read).toEqual({ ok: true, message });
    },
  );

  it('reads the binary mode', () => {
    expect(readHttp(binary, '{"name":"one"}')).toEqual({ ok: true, message });
  });

  it('takes a body without data for no data', () => {
    expect(readHttp(binary, '')).toEqual({ ok: true, message: { ...message, data: undefined } });
  });

  it.each<[string, Record<string, string>, string, string]>([
    ['a plain POST', { 'content-type': 'application/json' }, '{}', 'expected a CloudEvent'],
    ['data that is not JSON', binary, '<xml/>', 'the data is not JSON'],
    ['a batch', { 'content-type': 'application/cloudevents-batch+json' }, '[]', 'a CloudEvent'],
    ['an empty id', { ...binary, 'ce-id': '' }, '{}', '$.id'],
  ])('refuses %s', (_, headers, body, why) => {
    expect(readHttp(headers, body)).toEqual({ ok: false, why: expect.stringContaining(why) });
  });
});
