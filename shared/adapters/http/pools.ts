import { Agent, type AgentOptions } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { OutsideHost } from '#shared/domain/outside.ts';
import type { Ground } from './guarded-lookup.ts';
import { keepingIdle } from './idle-connections.ts';

export type Pools = {
  for(url: URL, ground: Ground): Agent;
  close(): void;
};

export type PoolOptions = {
  readonly connectionsPerHost: number;
  /** To all hosts of an agent, which are those that are not configured: whoever names an image names its host. */
  readonly mostIdle?: number;
};

const idleMs = 30_000;

/**
 * Connections are kept by reach and by configured host: one that was opened for the operator's own registry is never
 * handed to a request that may not reach it.
 */
export function openPools({ connectionsPerHost, mostIdle = 256 }: PoolOptions): Pools {
  const agents = new Map<string, Agent>();
  const options: AgentOptions = {
    keepAlive: true,
    maxSockets: connectionsPerHost,
    // A burst goes on as it began: each connection that is opened anew costs a file two or three ways to the host.
    maxFreeSockets: connectionsPerHost,
    timeout: idleMs,
  };
  return {
    for: ({ protocol }, { reach, host }) => {
      const key = `${protocol} ${reach} ${host?.host ?? ''}`;
      const agent = agents.get(key) ?? keepingIdle(opened(protocol, options, host), mostIdle);
      agents.set(key, agent);
      return agent;
    },
    close: () => {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}

function opened(protocol: string, options: AgentOptions, host: OutsideHost | undefined): Agent {
  if (protocol === 'http:') return new Agent(options);
  const trust = host?.ca === undefined ? {} : { ca: host.ca };
  return new SecureAgent({ ...options, ...trust });
}
