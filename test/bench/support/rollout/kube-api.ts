import { request } from 'node:https';
import type { JsonObject } from '#shared/domain/json.ts';
import type { KubeFacts } from '#test/real/kube/start.ts';

export type KubeApi = {
  find(path: string): Promise<JsonObject | undefined>;
  create(path: string, object: JsonObject): Promise<void>;
};

/** The few calls that a bench makes itself: the real API server, by token. */
export function openKubeApi({ url, ca, token }: KubeFacts): KubeApi {
  const call = (method: string, path: string, body = ''): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const asked = request(`${url}${path}`, { method, ca, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') });
        });
      });
      asked.on('error', reject);
      asked.end(body);
    });
  return {
    async find(path) {
      const { status, text } = await call('GET', path);
      if (status === 404) return undefined;
      if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
      return JSON.parse(text);
    },
    async create(path, object) {
      const { status, text } = await call('POST', path, JSON.stringify(object));
      if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`);
    },
  };
}

type Answer = { readonly status: number; readonly text: string };
