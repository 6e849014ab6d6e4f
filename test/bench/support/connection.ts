import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import { answerReader } from './reader.ts';

export type Peer = {
  readonly port: number;
  /** Whom the certificate must name. */
  readonly serverName: string;
  readonly ca: string;
};

export type Connection = {
  send(bytes: Buffer): void;
  close(): void;
};

export type Heard = {
  /** `closes`: the server takes no further request on this connection. */
  answered(status: number, body: Buffer, closes: boolean): void;
  lost(why: string): void;
};

/** A verified TLS connection with HTTP/1.1, read into one buffer, without the streams in between. */
export function openConnection(peer: Peer, heard: Heard): Promise<Connection> {
  const read = answerReader(heard.answered);
  const onread = {
    buffer: Buffer.allocUnsafe(64 * 1024),
    callback(length: number, buffer: Uint8Array): boolean {
      read(Buffer.from(buffer.buffer, buffer.byteOffset, length));
      return true;
    },
  };
  // The types do not know that a TLS connection takes it as a plain one does.
  const options: ConnectionOptions & { onread: typeof onread } = {
    host: '127.0.0.1',
    port: peer.port,
    servername: peer.serverName,
    ca: peer.ca,
    ALPNProtocols: ['http/1.1'],
    onread,
  };
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connectTls(options, () => resolve(connectionOf(socket)));
    socket.setNoDelay(true);
    socket.on('error', (cause) => {
      reject(cause);
      heard.lost(cause.message);
    });
    socket.once('close', () => heard.lost('closed'));
  });
}

function connectionOf(socket: TLSSocket): Connection {
  return {
    send: (bytes) => {
      socket.write(bytes);
    },
    close: () => {
      socket.removeAllListeners('close');
      socket.destroy();
    },
  };
}
