import { type Connection, openConnection, type Peer } from '../connection.ts';

export type Reply = { readonly status: number; readonly body: Buffer };

/** A kept connection, one request at a time. What was sent and not answered is lost: a POST is not sent twice. */
export type Kept = {
  readonly port: number;
  call(bytes: Buffer): Promise<Reply>;
  isOpen(): boolean;
  close(): void;
};

export async function dial(peer: Peer): Promise<Kept> {
  const { port } = peer;
  let waiting: PromiseWithResolvers<Reply> | undefined;
  let open = true;
  const connection: Connection = await openConnection(peer, {
    answered(status, body, closes) {
      if (closes) {
        open = false;
        connection.close();
      }
      waiting?.resolve({ status, body: Buffer.from(body) });
      waiting = undefined;
    },
    lost(why) {
      open = false;
      waiting?.reject(new Error(`${why}, after it was sent`));
    },
  });
  return {
    port,
    isOpen: () => open,
    close() {
      open = false;
      connection.close();
    },
    call(bytes) {
      waiting = Promise.withResolvers();
      connection.send(bytes);
      return waiting.promise;
    },
  };
}
