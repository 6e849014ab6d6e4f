import { connect, type Socket } from 'node:net';

/** What postgres.js hands to whoever makes its sockets, as far as we ask. */
type Wanted = {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path?: string | false | undefined;
  /** `null` on the connection that LISTENs, and there only. */
  readonly idle_timeout?: number | null | undefined;
};

const longestTickMs = 1_000;

/**
 * Sockets that end themselves when nothing was said on them for so long. Where the other side vanished while a statement ran,
 * keep-alive is no help: the kernel repeats the statement's bytes for a quarter of an hour. A listening connection
 * has none on the way, and there keep-alive does it.
 */
export function dial(patienceMs: number | undefined): (wanted: Wanted) => Socket {
  return (wanted) => {
    const {
      host: [host = 'localhost'] = [],
      port: [port = 5432] = [],
      path,
      idle_timeout,
    } = wanted;
    // Not awaited: what is written waits for the connection, and a failure arrives as the socket's own.
    const socket = path ? connect(path) : connect({ host, port, keepAlive: true, noDelay: true });
    if (patienceMs !== undefined && idle_timeout !== null) endWhenSilent(socket, patienceMs);
    // The name that the certificate is checked for.
    return Object.assign(socket, { host });
  };
}

/** By counted bytes: under TLS, events and listeners are another socket's. */
function endWhenSilent(socket: Socket, patienceMs: number): void {
  let seen = 0;
  let since = performance.now();
  const watching = setInterval(
    () => {
      if (socket.destroyed) return clearInterval(watching);
      const bytes = socket.bytesRead + socket.bytesWritten;
      if (bytes !== seen) since = performance.now();
      seen = bytes;
      if (performance.now() - since > patienceMs) socket.destroy();
    },
    Math.min(longestTickMs, patienceMs / 4),
  ).unref();
}
