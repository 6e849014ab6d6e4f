import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSecureServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import type { KeyPair } from '#shared/ports.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export type Listening = {
  readonly port: number;
  /** Takes nobody in any more; who is being answered has so long. */
  close(graceMs?: number): Promise<void>;
};

// Go's server keeps idle connections for as long as the client does.
const patient = { keepAliveTimeout: 600_000, requestTimeout: 0 };

export function listenPlain(port: number, handler: Handler): Promise<Listening> {
  return listening(Object.assign(createServer(guarded(handler)), patient), port);
}

export type Secure = {
  readonly port: number;
  readonly leaf: KeyPair;
  /** Whoever shows a certificate of this CA is who it says. */
  readonly clientCa: string;
};

/** HTTP/1.1 and HTTP/2, as the client likes; a client certificate is asked for, and may be missing. */
export function listenSecurely(
  { port, leaf, clientCa }: Secure,
  handler: Handler,
): Promise<Listening> {
  const answer = guarded(handler);
  const server = createSecureServer(
    {
      ...{ cert: leaf.certificate, key: leaf.key, ca: clientCa, allowHTTP1: true },
      ...{ requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' },
      // As many as Go allows on one connection, and a few hundred watches beside them.
      settings: { maxConcurrentStreams: 1_000 },
    },
    // Node's own bridge: a request of HTTP/2 that behaves like one of HTTP/1.1.
    (request, response) =>
      answer(request as unknown as IncomingMessage, response as unknown as ServerResponse),
  );
  return listening(Object.assign(server, patient), port);
}

function guarded(handler: Handler) {
  return (request: IncomingMessage, response: ServerResponse) => {
    handler(request, response).catch((cause: unknown) => {
      response.destroy(cause instanceof Error ? cause : new Error(String(cause)));
    });
  };
}

async function listening(server: NetServer, port: number): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close(graceMs = 0) {
      const closed = once(server, 'close');
      server.close();
      // Whoever has nothing under way any more leaves at once.
      for (const session of sessions) session.close();
      const cut = () => {
        for (const socket of sockets) socket.destroy();
      };
      const alarm = setTimeout(cut, graceMs);
      if (graceMs === 0) cut();
      await closed;
      clearTimeout(alarm);
    },
  };
}
