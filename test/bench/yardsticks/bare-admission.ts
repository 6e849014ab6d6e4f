import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';

/**
 * What ours is measured against: the least that can call itself an admission webhook. It reads the
 * body, parses it, and answers always the same patch. It checks nothing, so it is not meant to be reached.
 */
const [port = '0', directory = '.'] = process.argv.slice(2);

const patch = Buffer.from(
  JSON.stringify([
    {
      op: 'add',
      path: '/spec/affinity',
      value: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 10,
              preference: {
                matchExpressions: [
                  { key: 'worker.gardener.cloud/pool', operator: 'In', values: ['cpu-worker-0'] },
                ],
              },
            },
          ],
        },
      },
    },
  ]),
).toString('base64');

function answer(body: string): string {
  const { apiVersion, kind, request } = JSON.parse(body);
  const response = { uid: request.uid, allowed: true, patchType: 'JSONPatch', patch };
  return JSON.stringify({ apiVersion, kind, response });
}

const server = createServer(
  {
    cert: readFileSync(join(directory, 'tls.crt')),
    key: readFileSync(join(directory, 'tls.key')),
    minVersion: 'TLSv1.3',
    keepAliveTimeout: 120_000,
  },
  (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = answer(Buffer.concat(chunks).toString('utf8'));
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      });
      response.end(text);
    });
  },
);

server.listen(Number(port), '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
