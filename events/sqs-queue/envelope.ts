import {
  anything,
  choice,
  type Decoded,
  decode,
  integer,
  integerFrom,
  maybe,
  number,
  record,
  text,
} from '#shared/domain/decode.ts';
import { isDeeper } from '#shared/domain/depth.ts';
import { jsonIn } from '#shared/domain/json.ts';
import type { Outgoing } from '../queue.ts';
import { reasonText } from '../sendable.ts';

/** A message as it lies in SQS: a CloudEvent, which the event source mapping of Lambda hands to a function as it is. */
export type Enveloped = {
  /** Of its row in the outbox. */
  readonly id: string;
  readonly message: Omit<Outgoing, 'body' | 'mergeKey'>;
  readonly body: Body;
  readonly sentAtMs: number;
  readonly buried?: Burial | undefined;
};

export type Body =
  | { readonly kind: 'inline'; readonly text: string }
  /** Too long for SQS: it lies in the database, under the id. */
  | { readonly kind: 'kept' };

export type Burial = {
  readonly why: string;
  readonly received: number;
  readonly atMs: number;
};

/** With room for what a burial adds, whose reason may be six times as long when it is written down: SQS takes 1 MiB. */
export const longestInline = 983_040;

/**
 * Some thousand levels end the stack of whoever writes them, and whether they do depends on who called him: the event is
 * a level deeper than what was tried before, and its reader stands anywhere.
 */
export const deepestData = 500;

export function envelopeFor(message: Outgoing, of: { id: string; sentAtMs: number }): Enveloped {
  const { body, mergeKey: _, ...rest } = message;
  return { ...of, message: rest, body: { kind: 'inline', text: body } };
}

/** As SQS gets it; and whether the body had to stay behind. */
export function written(enveloped: Enveloped): { readonly text: string; readonly isKept: boolean } {
  const inline = cloudEvent(enveloped);
  if (enveloped.body.kind === 'kept' || Buffer.byteLength(inline) <= longestInline) {
    return { text: inline, isKept: enveloped.body.kind === 'kept' };
  }
  return { text: cloudEvent({ ...enveloped, body: { kind: 'kept' } }), isKept: true };
}

function cloudEvent({ id, message, body, sentAtMs, buried }: Enveloped): string {
  const event = {
    specversion: '1.0',
    id: message.eventId,
    source: `/gatehouse/${message.function}`,
    type: message.type,
    time: new Date(sentAtMs).toISOString(),
    ...(message.subject === undefined ? {} : { subject: message.subject }),
    gatehousemessage: id,
    gatehousefunction: message.function,
    gatehousegroup: message.group,
    gatehouseattempt: message.attempt ?? 0,
    ...(buried && {
      gatehousewhy: reasonText(buried.why),
      gatehousereceived: buried.received,
      gatehouseburied: buried.atMs,
    }),
    ...dataOf(body, id),
  };
  return JSON.stringify(event).replace(unsafe, escaped);
}

/** SQS refuses these; servers differ about characters beyond U+FFFF. In JSON, the escape means the same. */
const unsafe = /[^\x20-\ud7ff\ue000-\ufffd]/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function dataOf(body: Body, id: string) {
  if (body.kind === 'kept') return { dataref: `gatehouse:outbox/${id}` };
  const { text: bytes } = body;
  const value = jsonIn(bytes);
  // As a value only where it is written again as it was, by anybody.
  if (value !== undefined && !isDeeper(value, deepestData) && jsonOf(value) === bytes) {
    return { data: value };
  }
  return { data_base64: Buffer.from(bytes, 'utf8').toString('base64') };
}

const cloudEventOfOurs = record({
  specversion: choice('1.0'),
  id: text,
  type: text,
  time: text,
  subject: maybe(text),
  gatehousemessage: text,
  gatehousefunction: text,
  gatehousegroup: text,
  // Where each was followed by the longest pause, it would be a thousand years.
  gatehouseattempt: integerFrom(0, 100_000_000),
  gatehousewhy: maybe(text),
  gatehousereceived: maybe(integer),
  gatehouseburied: maybe(number),
  data: maybe(anything),
  data_base64: maybe(text),
  dataref: maybe(text),
});

/** `undefined`: somebody else put it there. */
export function read(raw: string): Enveloped | undefined {
  const result = decode(cloudEventOfOurs, jsonIn(raw));
  if (!result.ok) return undefined;
  const event = result.value;
  const body = bodyOf(event);
  const sentAtMs = Date.parse(event.time);
  // What is no moment could not be written again.
  if (body === undefined || !isMoment(sentAtMs) || !isMoment(event.gatehouseburied ?? 0)) {
    return undefined;
  }
  return {
    id: event.gatehousemessage,
    message: {
      function: event.gatehousefunction,
      group: event.gatehousegroup,
      type: event.type,
      eventId: event.id,
      subject: event.subject,
      attempt: event.gatehouseattempt,
    },
    body,
    sentAtMs,
    buried: event.gatehousewhy === undefined ? undefined : burialIn(event, event.gatehousewhy),
  };
}

/** As far from 1970 as a `Date` goes. */
function isMoment(ms: number): boolean {
  return Math.abs(ms) <= 8.64e15;
}

type Event = Decoded<typeof cloudEventOfOurs>;

function burialIn(event: Event, why: string): Burial {
  return { why, received: event.gatehousereceived ?? 0, atMs: event.gatehouseburied ?? 0 };
}

function bodyOf({ dataref, data, data_base64 }: Event): Body | undefined {
  if (dataref !== undefined) return { kind: 'kept' };
  const text =
    data_base64 === undefined ? jsonOf(data) : Buffer.from(data_base64, 'base64').toString('utf8');
  return text === undefined ? undefined : { kind: 'inline', text };
}

/** `undefined` for what is nested too deeply to be written again: it can be read all the same. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) ?? '';
  } catch (cause: unknown) {
    if (cause instanceof RangeError) return undefined;
    throw cause;
  }
}
