import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectMessage } from '#events/messages.ts';
import type { Outgoing } from '#events/queue.ts';
import { deepestData, envelopeFor, read, written } from '#events/sqs-queue/envelope.ts';
import { pods } from '#shared/domain/kind.ts';
import { messageFrom } from '#shared/runtime/invoke/cloud-event.ts';

const of = { id: '0000000000000000007.1', sentAtMs: Date.parse('2030-01-01T00:00:00.123Z') };
const message: Outgoing = {
  function: 'follow-pool',
  group: 'g',
  type: 'tested.v1',
  body: '{"a":1}',
  eventId: 'u1/7/MODIFIED',
  subject: 'u1',
  attempt: 2,
};

function textOf(body: string): string {
  return written(envelopeFor({ ...message, body }, of)).text;
}

function bodyIn(text: string): unknown {
  const body = read(text)?.body;
  return body?.kind === 'inline' ? body.text : body;
}

describe('the message as it lies in SQS', () => {
  it('is what a function on Lambda reads, with the id of the event', () => {
    const at = { namespace: 'team-a', name: 'web', uid: 'u1', deleted: false };
    const from = { function: 'follow-pool', cluster: 'prod', eventId: 'u1/7/MODIFIED' };
    const sent = objectMessage(from, pods, at);
    const { text } = written(envelopeFor(sent, of));
    expect(messageFrom(text)).toEqual({
      ok: true,
      message: {
        ...{ id: 'u1/7/MODIFIED', type: 'object.changed.v1', attempt: 0 },
        data: JSON.parse(sent.body),
      },
    });
  });

  it.each([
    ['JSON that is written in another way', '{ "a": 1.0 }', { a: 1 }],
    ['JSON that is only null', 'null', null],
    ['JSON with characters that SQS refuses', '"\uffff🦊"', '\uffff🦊'],
  ])('is read on Lambda where the body is %s', (_, body, data) => {
    expect(messageFrom(textOf(body))).toMatchObject({ ok: true, message: { data } });
  });

  it('is refused on Lambda where the body is no JSON, as every function would', () => {
    expect(messageFrom(textOf('word'))).toEqual({ ok: false, why: 'the data is not JSON' });
  });

  it('comes back as it was', () => {
    const { body, ...rest } = message;
    expect(read(textOf(body))).toEqual({
      ...of,
      message: rest,
      body: { kind: 'inline', text: body },
      buried: undefined,
    });
  });

  it('keeps any text as a body', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (body) => bodyIn(textOf(body)) === body),
    );
  });

  it('keeps any JSON as a body, however it is written', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(3), (json, spaces) => {
        const body = JSON.stringify(JSON.parse(json), null, spaces);
        return bodyIn(textOf(body)) === body;
      }),
    );
  });

  it('keeps a body that is nested deeper than can be written again, and reads no such data', () => {
    const deep = '['.repeat(30_000) + ']'.repeat(30_000);
    expect(bodyIn(textOf(deep)) === deep).toBe(true);
    expect(read(textOf('{"a":1}').replace('{"a":1}', deep))).toBeUndefined();
  });

  it.each([
    ['a value', 'as deep as it may be', deepestData, '"data":'],
    ['bytes', 'deeper than anybody’s stack is sure to be', deepestData + 1, '"data_base64":'],
  ])('has as %s a body that is %s', (_, __, depth, how) => {
    const body = '['.repeat(depth) + ']'.repeat(depth);
    expect(textOf(body)).toContain(how);
    expect(bodyIn(textOf(body)) === body).toBe(true);
  });

  it('has no character that a server of SQS refuses', () => {
    const every = String.fromCharCode(...Array.from({ length: 0x800 }, (_, at) => at + 1));
    const text = textOf(JSON.stringify(`${every}\ufffe\uffff🦊`));
    expect(text).toContain('"data":');
    expect(text).toMatch(/^[\x20-\ud7ff\ue000-\ufffd]*$/);
  });

  it.each([
    ['just short enough', 982_000, 'inline'],
    ['too long', 983_040, 'kept'],
    ['as long as SQS takes', 1_048_576, 'kept'],
    ['far too long', 4_000_000, 'kept'],
    ['just short enough in bytes', 327_000, 'inline', '日'],
    ['too long in bytes alone', 328_000, 'kept', '日'],
  ])('has a body that is %s beside it or leaves it behind', (_, length, kind, letter = 'x') => {
    const sent = envelopeFor({ ...message, body: `"${letter.repeat(length)}"` }, of);
    const { text, isKept } = written(sent);
    expect(read(text)?.body.kind).toBe(kind);
    expect(isKept).toBe(kind === 'kept');
    expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
  });

  it('fits into SQS with the longest of all other fields and a reason', () => {
    const long = '"'.repeat(1_000);
    const fields = { group: long, eventId: long, type: long, subject: long };
    const sent = envelopeFor(
      { ...message, ...fields, body: JSON.stringify('x'.repeat(970_000)) },
      of,
    );
    const buried = { why: '\u0001'.repeat(20_000), received: 1, atMs: 0 };
    expect(Buffer.byteLength(written({ ...sent, buried }).text)).toBeLessThan(1_048_576);
  });

  it.each(['', 'word', 'null', '[]', '{"specversion":"1.0","id":"e","type":"t","source":"s"}'])(
    'is not seen in %j',
    (text) => {
      expect(read(text)).toBeUndefined();
    },
  );
});
