import { Agent, request } from 'node:https';
import type { JsonObject } from '#shared/domain/json.ts';

export type Answer = { readonly code: number; readonly body: JsonObject };

export type Server = {
  ask(method: string, path: string, sent?: Sent): Promise<Answer>;
  close(): void;
};

export type Sent = { readonly contentType?: string; readonly body: unknown };

type Facts = { readonly url: string; readonly token: string; readonly ca: string };

/** A kube-apiserver, by one connection. */
export function serverAt({ url, token, ca }: Facts): Server {
  const agent = new Agent({ keepAlive: true, ca });
  return {
    close: () => agent.destroy(),
    ask: (method, path, sent) =>
      new Promise((resolve, reject) => {
        const headers = {
          authorization: `Bearer ${token}`,
          ...(sent && { 'content-type': sent.contentType ?? 'application/json' }),
        };
        const asked = request(`${url}${path}`, { method, headers, agent }, (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            resolve({ code: answer.statusCode ?? 0, body: bodyOf(text) });
          });
        });
        asked.on('error', reject);
        asked.end(sent === undefined ? undefined : JSON.stringify(sent.body));
      }),
  };
}

/** The router's own answers are plain text. */
function bodyOf(text: string): JsonObject {
  return text.startsWith('{') ? (JSON.parse(text) as JsonObject) : { text };
}
