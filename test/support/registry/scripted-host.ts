import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { KeyPair } from '#shared/ports.ts';

export type Heard = {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
};

export type ScriptedHost = {
  readonly port: number;
  readonly heard: readonly Heard[];
  /** Connections that were ever made. */
  connections(): number;
  hangUp(): void;
  close(): Promise<void>;
};

export type Script = (request: IncomingMessage, response: ServerResponse, heard: Heard) => void;

/** A server on loopback that answers as the script has it; what is left open is cut off at the end. */
export async function openHost(script: Script, pair?: KeyPair, port = 0): Promise<ScriptedHost> {
  const heard: Heard[] = [];
  const listener: RequestListener = (request, response) => {
    response.on('error', () => {});
    void textOf(request).then((body) => {
      const told = toldBy(request, body);
      heard.push(told);
      script(request, response, told);
    });
  };
  const server =
    pair === undefined
      ? createServer(listener)
      : createSecureServer({ cert: pair.certificate, key: pair.key }, listener);
  const count = { connections: 0 };
  server.on('connection', () => {
    count.connections++;
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    heard,
    connections: () => count.connections,
    hangUp: () => server.closeAllConnections(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function toldBy({ method = '', url = '', headers }: IncomingMessage, body: string): Heard {
  return { method, path: url, authorization: headers.authorization, body };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch {
    // The caller went away; nobody waits for an answer.
  }
  return Buffer.concat(chunks).toString('utf8');
}
