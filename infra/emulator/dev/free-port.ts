import { once } from 'node:events';
import { createServer } from 'node:net';

/** The webhooks must say it before anybody listens there. Throws where the one that is asked for is not free. */
export async function freePort(port = 0, address = '127.0.0.1'): Promise<number> {
  const server = createServer().listen(port, address);
  await once(server, 'listening');
  const bound = server.address();
  server.close();
  await once(server, 'close');
  if (bound === null || typeof bound === 'string') throw new Error('no port is free');
  return bound.port;
}
