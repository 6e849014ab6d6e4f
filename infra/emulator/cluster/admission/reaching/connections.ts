import { Agent } from 'node:https';
import { isIP } from 'node:net';
import { type ConnectionOptions, connect } from 'node:tls';
import type { Target } from './target.ts';

export type ClientCertificate = { readonly cert: string; readonly key: string };

/** Idle connections stay as long as Go's. */
const idleMs = 90_000;
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
  return {
    to(target, trust = {}) {
      const key = JSON.stringify([target.host, target.port, target.ca, trust]);
      const known = agents.get(key);
      if (known !== undefined) return known;
      // Each renewed certificate makes another; what those before have open ends by itself.
      if (agents.size === mostAgents) agents.clear();
      const agent = agentFor(target, trust);
      agents.set(key, agent);
      return agent;
    },
    deadline: (seconds) =>
      isUntimed() ? new AbortController().signal : AbortSignal.timeout(seconds * 1000),
    close() {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

function agentFor(target: Target, { isUnverified = false, own }: Trust): Agent {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 25, timeout: idleMs });
  const secure: ConnectionOptions = {
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: !isUnverified,
    ...(target.ca !== undefined && { ca: target.ca }),
    // An address is no name to ask for, but its certificate must carry it.
    ...(isIP(target.serverName) === 0 && { servername: target.serverName }),
    ...own,
  };
  const dial = (_: unknown, done: (error: Error) => void) => {
    const endpoint = target.resolve();
    if (endpoint.kind === 'at')
      return connect({ ...secure, host: endpoint.host, port: endpoint.port });
    process.nextTick(() => done(new Error(endpoint.why)));
    return undefined;
  };
  return Object.assign(agent, { createConnection: dial });
}
