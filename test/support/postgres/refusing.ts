import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

type Refusal = { readonly code: string; readonly says: string };

/** A server that ends whoever connects with a word of Postgres's own, as one does that starts, stops or has no room. */
export async function refusingPostgres({ code, says }: Refusal) {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => socket.end(fatal(code, says)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://u:secret@127.0.0.1:${port}/x?sslmode=disable`,
    close: () => void server.close(),
  };
}

/** ErrorResponse: fields of a letter and a text each, behind the length of it all. */
function fatal(code: string, says: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${says}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
