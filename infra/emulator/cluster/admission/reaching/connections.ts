import { once } from 'node:events';
import { Agent } from 'node:https';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { distrustOf } from './distrust.ts';
import type { Target } from './target.ts';

export type ClientCertificate = { readonly cert: string; readonly key: string };

/** Idle connections stay as long as Go's. */
const idleMs = 90_000;
const handshakeMs = 10_000;
const mostAgents = 100;

/** One pool for all who trust the same authority for the same place. */
export type Connections = {
  to(target: Target, how?: Trust): Agent;
  /** When a call has taken too long. */
  deadline(seconds: number): AbortSignal;
  close(): void;
};

export type Trust = { readonly isUnverified?: boolean; readonly own?: ClientCertificate };

export function openConnections(isUntimed = () => false): Connections {
  const agents = new Map<string, Agent>();
  let isOver = false;
  const dial = async (target: Target, trust: Trust) => {
    const socket = await dialed(target, trust);
    if (!isOver) return socket;
    // Nobody would close what was not open yet at the end.
    socket.destroy();
    throw new Error('context canceled');
  };
  return {
    to(target, trust = {}) {
      const key = JSON.stringify([target.host, target.port, target.ca, trust]);
      const known = agents.get(key);
      if (known !== undefined) return known;
      // Each renewed certificate makes another; what those before have open ends by itself.
      if (agents.size === mostAgents) agents.clear();
      const agent = agentFor(() => dial(target, trust));
      agents.set(key, agent);
      return agent;
    },
    deadline: (seconds) =>
      isUntimed() ? new AbortController().signal : AbortSignal.timeout(seconds * 1000),
    close() {
      isOver = true;
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

function agentFor(dial: () => Promise<TLSSocket>): Agent {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 25, timeout: idleMs });
  const createConnection = (_: unknown, done: Dialed) => {
    dial().then(
      (socket) => done(null, socket),
      (cause: unknown) => done(cause),
    );
  };
  return Object.assign(agent, { createConnection });
}

type Dialed = (error: unknown, socket?: TLSSocket) => void;

/** A connection is handed out when the server at its end is believed, by the rules of Go. */
async function dialed(target: Target, { isUnverified = false, own }: Trust): Promise<TLSSocket> {
  const endpoint = target.resolve();
  if (endpoint.kind === 'nowhere') throw new Error(endpoint.why);
  const socket = connect({
    ...{ host: endpoint.host, port: endpoint.port, ALPNProtocols: ['http/1.1'] },
    rejectUnauthorized: false,
    ...(target.ca !== undefined && { ca: target.ca }),
    // An address is no name to ask for, but its certificate must carry it.
    ...(isIP(target.serverName) === 0 && { servername: target.serverName }),
    ...own,
  });
  const late = () => void socket.destroy(new Error('net/http: TLS handshake timeout'));
  socket.setTimeout(handshakeMs, late);
  await once(socket, 'secureConnect');
  // With its listener: the agent sets times of its own, of an idle connection, which are no end of a slow answer.
  socket.setTimeout(0, late);
  const why = isUnverified ? undefined : distrusted(socket, target.serverName);
  if (why === undefined) return socket;
  socket.destroy();
  throw new Error(why);
}

function distrusted(socket: TLSSocket, name: string): string | undefined {
  const certificate = socket.getPeerX509Certificate();
  // Of a resumed session no certificate is shown: whoever resumes it was believed.
  if (certificate === undefined) return undefined;
  const code = socket.authorizationError as Error | string | undefined | null;
  const told = typeof code === 'string' ? code : undefined;
  return distrustOf({ certificate, code: told }, name);
}
