import { connect } from 'node:tls';
import type { Listening } from './listen.ts';

/** Whether TLS answers at our own port. Who signed is not asked here: the caBundle is a condition of its own. */
export function answersTls(
  { address, port }: Pick<Listening, 'address' | 'port'>,
  timeoutMs = 1_000,
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({
      host: address === '0.0.0.0' || address === '::' ? 'localhost' : address,
      port,
      servername: 'localhost',
      // Our own certificate, over loopback: that a handshake ends is all that is looked at.
      rejectUnauthorized: false,
    });
    const end = (answers: boolean) => {
      socket.destroy();
      resolve(answers);
    };
    socket.setTimeout(timeoutMs, () => end(false));
    socket.once('secureConnect', () => end(true));
    socket.once('error', () => end(false));
  });
}
