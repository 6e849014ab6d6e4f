import { request } from 'node:https';
import type { JsonObject } from '#shared/domain/json.ts';

export type Answer = {
  readonly code: number;
  readonly body: JsonObject;
  readonly warnings: readonly string[];
};

export type Ask = (
  method: string,
  path: string,
  body?: JsonObject,
  headers?: Readonly<Record<string, string | readonly string[]>>,
) => Promise<Answer>;

/** Plain requests of the admin, without a client library in between. */
export function asking({ url, ca, token }: { url: string; ca: string; token: string }): Ask {
  return (method, path, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? '' : JSON.stringify(body);
      const asked = request(`${url}${path}`, {
        ...{ method, ca },
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
          ...headers,
        },
      });
      asked.on('error', reject);
      asked.on('response', (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => {
          const { warning } = answer.headersDistinct;
          resolve({
            code: answer.statusCode ?? 0,
            body: JSON.parse(Buffer.concat(parts).toString()),
            warnings: warning ?? [],
          });
        });
      });
      asked.end(text);
    });
}
