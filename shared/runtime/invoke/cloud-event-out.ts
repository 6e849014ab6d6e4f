import type { Message } from '../wake.ts';

/** How a CloudEvent travels: its context in headers, or all of it in the body. */
export type EventMode = 'binary' | 'structured';

export type EventRequest = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const source = '/gatehouse';

/** What `messageFromHttp` reads, and whoever else speaks CloudEvents 1.0. */
export function eventRequest({ id, type, data, attempt }: Message, mode: EventMode): EventRequest {
  return mode === 'structured'
    ? {
        headers: { 'content-type': 'application/cloudevents+json; charset=utf-8' },
        body: JSON.stringify({
          specversion: '1.0',
          id,
          source,
          type,
          datacontenttype: 'application/json',
          ...(attempt === undefined ? {} : { gatehouseattempt: attempt }),
          data,
        }),
      }
    : {
        headers: {
          'content-type': 'application/json',
          'ce-specversion': '1.0',
          'ce-id': headerText(id),
          'ce-source': source,
          'ce-type': headerText(type),
          ...(attempt === undefined ? {} : { 'ce-gatehouseattempt': `${attempt}` }),
        },
        body: JSON.stringify(data),
      };
}

/** As the HTTP binding has it: what is no printable ASCII, and space, quote and percent, by their bytes. */
export function headerText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^!#$&-~]/gu, (character) =>
      [...Buffer.from(character)]
        .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
        .join(''),
    );
}
