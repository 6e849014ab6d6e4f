import type { Agent, ClientRequest } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Node bounds those of each origin, not of all: a thousand hosts that answered once had a connection each. The oldest makes
 * room, so that whoever is asked often keeps his. `maxTotalSockets` closes none of them: a new host waits until one is over.
 */
export function keepingIdle(agent: Agent, most: number): Agent {
  const idle = openIdle(most);
  const [keep, reuse] = [agent.keepSocketAlive.bind(agent), agent.reuseSocket.bind(agent)];
  return Object.assign(agent, {
    keepSocketAlive(socket: Duplex) {
      // Typed as if it told nothing; where it is false, the connection is closed.
      const isKept: unknown = keep(socket);
      if (isKept === true) idle.add(socket);
      return isKept;
    },
    reuseSocket(socket: Duplex, request: ClientRequest) {
      idle.remove(socket);
      reuse(socket, request);
    },
  });
}

/** In the order in which they became idle. */
function openIdle(most: number) {
  const listeners = new Map<Duplex, () => void>();
  const remove = (socket: Duplex) => {
    const listener = listeners.get(socket);
    if (listener !== undefined) socket.off('close', listener);
    listeners.delete(socket);
  };
  return {
    remove,
    add(socket: Duplex) {
      const listener = () => remove(socket);
      socket.once('close', listener);
      listeners.set(socket, listener);
      const [oldest] = listeners.keys();
      if (listeners.size <= most || oldest === undefined) return;
      remove(oldest);
      oldest.destroy();
    },
  };
}
