import { once } from 'node:events';
import { createServer } from 'node:net';

/** The webhooks must say it before anybody listens there. Throws where the one that is asked for is not free. */
export async function freePort(port = 0): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
