import { createServer } from 'node:http';
import type { Http2Server, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { KeyPair } from '#shared/ports.ts';
import type { Door, Incoming, Outgoing } from './admission/direct-door.ts';

/** Go's client keeps an idle connection for 90 s: whoever closes first must not be us, or a request meets a closed door. */
const keepAliveMs = 95_000;
/** A head or a body that takes longer is no API server's. */
const headMs = 32_000;
const requestMs = 40_000;

export type Fetch = (request: Request, env: object) => Response | Promise<Response>;

export type Listening = {
  readonly address: string;
  readonly port: number;
  /** From now on connections are given back after their answer. */
  startClosing(): void;
  /** Takes no more connections and ends when nothing is in flight, or after `graceMs` at the latest. */
  close(graceMs: number): Promise<void>;
};

export type SecureListening = Listening & { setCertificate(pair: KeyPair): void };

type Place = {
  readonly address: string;
  readonly port: number;
  /** For tests of slow senders; the defaults serve. */
  readonly limits?: {
    readonly headMs: number;
    readonly requestMs: number;
    readonly checkMs: number;
  };
};

export type ListenOptions = Place & {
  readonly fetch: Fetch;
  /** Asked before `fetch`. */
  readonly direct?: Door;
};

/** Of Node's server, without a Request and a Response between. */
export type Listener = (incoming: Incoming, outgoing: Outgoing) => void;

type Answering = ListenOptions | (Place & { readonly listener: Listener });

export async function listenSecurely(
  options: ListenOptions & { readonly pair: KeyPair; readonly minTls: '1.2' | '1.3' },
): Promise<SecureListening> {
  const { pair, minTls } = options;
  const closing = openClosing();
  const answer = answering(options, closing);
  const server = createTlsServer(
    {
      ALPNProtocols: ['h2', 'http/1.1'],
      cert: pair.certificate,
      key: pair.key,
      minVersion: `TLSv${minTls}`,
      handshakeTimeout: 10_000,
      ...connectionLimits(options),
    },
    answer,
  );
  const sessions = handOverH2(server, answer, connectionLimits(options).requestTimeout);
  const listening = await opened(server, options, closing, sessions);
  return {
    ...listening,
    setCertificate: ({ certificate, key }) =>
      server.setSecureContext({ cert: certificate, key, minVersion: `TLSv${minTls}` }),
  };
}

export async function listenPlainly(options: Answering): Promise<Listening> {
  const closing = openClosing();
  const server = createServer(connectionLimits(options), answering(options, closing));
  return opened(server, options, closing, new Set());
}

function connectionLimits({ limits }: Place) {
  return {
    keepAliveTimeout: keepAliveMs,
    headersTimeout: limits?.headMs ?? headMs,
    requestTimeout: limits?.requestMs ?? requestMs,
    connectionsCheckingInterval: limits?.checkMs ?? 5_000,
  };
}

type Closing = ReturnType<typeof openClosing>;

function openClosing() {
  let started = false;
  const open = new Set<Outgoing>();
  const giveBack = (outgoing: Outgoing) => {
    if (!outgoing.headersSent) outgoing.setHeader('connection', 'close');
  };
  return {
    isStarted: () => started,
    /** Also what is in flight when closing starts is answered with the word that the connection ends. */
    watch(outgoing: Outgoing) {
      if (started) return giveBack(outgoing);
      open.add(outgoing);
      outgoing.once('close', () => open.delete(outgoing));
    },
    start() {
      started = true;
      for (const outgoing of open) giveBack(outgoing);
    },
  };
}

function answering(options: Answering, closing: Closing): Listener {
  const direct = 'direct' in options ? options.direct : undefined;
  const answer = 'listener' in options ? options.listener : appListener(options.fetch);
  return (incoming, outgoing) => {
    if (direct?.(incoming, outgoing, closing.isStarted) === true) return;
    // In h2 the header is forbidden; its sessions are told by GOAWAY.
    if (incoming.httpVersionMajor === 1) closing.watch(outgoing);
    answer(incoming, outgoing);
  };
}

function appListener(fetch: Fetch): Listener {
  let loaded: Promise<(incoming: Incoming, outgoing: Outgoing) => Promise<void>> | undefined;
  return (incoming, outgoing) => {
    loaded ??= import('./node-listener.ts').then(({ nodeListener }) => nodeListener(fetch));
    loaded.then(
      (answer) => answer(incoming, outgoing),
      () => outgoing.destroy(),
    );
  };
}

/** API servers speak HTTP/1.1: HTTP/2 is loaded for the first client that asks for it, 15 ms that no cold start pays. */
function handOverH2(
  server: TlsServer,
  answer: Listener,
  bodyMs: number,
): ReadonlySet<ServerHttp2Session> {
  const sessions = new Set<ServerHttp2Session>();
  let h2: Http2Server | undefined;
  const http1 = server.listeners('secureConnection');
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol !== 'h2') {
      for (const listener of http1) listener.call(server, socket);
      return;
    }
    h2 ??= openH2(answer, sessions, bodyMs);
    h2.emit('connection', socket);
  });
  return sessions;
}

function openH2(answer: Listener, sessions: Set<ServerHttp2Session>, bodyMs: number): Http2Server {
  const h2 = process.getBuiltinModule('node:http2').createServer(answer);
  h2.on('session', (session) => {
    sessions.add(session);
    session.setTimeout(keepAliveMs, () => session.close());
    session.once('close', () => sessions.delete(session));
  });
  h2.on('stream', (stream) => {
    if (!stream.endAfterHeaders) endWhenHalf(stream, bodyMs);
  });
  return h2;
}

/** Node bounds the time of a request in HTTP/1.1 only. */
function endWhenHalf(stream: ServerHttp2Stream, bodyMs: number): void {
  const late = setTimeout(() => stream.close(cancelled), bodyMs);
  const onTime = () => clearTimeout(late);
  stream.once('end', onTime);
  stream.once('close', onTime);
}

/** CANCEL, by RFC 9113. */
const cancelled = 8;

async function opened(
  server: Server,
  { address, port }: Place,
  closing: Closing,
  sessions: ReadonlySet<ServerHttp2Session>,
): Promise<Listening> {
  const connections = connectionsOf(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, resolve);
  });
  const bound = server.address() as AddressInfo;
  return {
    address,
    port: bound.port,
    startClosing() {
      closing.start();
      for (const session of sessions) session.close();
    },
    async close(graceMs) {
      closing.start();
      for (const session of sessions) session.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const late = setTimeout(() => {
        for (const connection of connections) connection.destroy();
      }, graceMs);
      await closed;
      clearTimeout(late);
    },
  };
}

function connectionsOf(server: Server): ReadonlySet<Socket> {
  const connections = new Set<Socket>();
  const add = (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  };
  server.on('connection', add);
  return connections;
}
