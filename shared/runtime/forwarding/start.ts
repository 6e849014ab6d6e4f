import type { Sql, TransactionSql } from 'postgres';
import { openForwarder } from '#events/forwarder/forwarder.ts';
import { type Pace, usualPace, type World } from '#events/forwarder/writer.ts';
import type { Sender } from '#events/queue.ts';
import { type Login, openSession } from '#shared/adapters/cluster/login.ts';
import { openStream } from '#shared/adapters/cluster/stream.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import { scopeName } from '#shared/domain/watched.ts';
import type { ConfigSource } from '../config/source.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Registry } from '../registry.ts';
import { pause } from '../worker/pause.ts';
import { followedBy } from './followed.ts';
import { openTeller } from './telling.ts';

export type ForwardingOptions = {
  readonly registry: Registry;
  readonly config: ConfigSource;
  readonly login: Login;
  readonly replica: string;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly sql: Sql;
  /** The queue's end of a transaction: messages exist when it commits. */
  readonly senderOn: (tx: TransactionSql) => Sender;
  readonly pace?: Partial<Pace>;
};

export type Forwarding = {
  /** Everything that is to be followed is, by us or by the one that we stand by for. */
  isReady(): boolean;
  stop(): Promise<void>;
};

/** The forwarder on the real cluster and the real database, following what the settings switch on. */
export async function startForwarding(options: ForwardingOptions): Promise<Forwarding> {
  const { registry, config, login, log, metrics } = options;
  const session = await openSession(login);
  const teller = openTeller(log, metrics.registry, Date.now);
  const forwarder = openForwarder(worldOf(options, { session, tell: teller.tell }));
  const ended = new AbortController();

  let scopes: readonly string[] = [];
  const look = async (): Promise<void> => {
    const followed = followedBy(registry, config.current());
    scopes = followed.map(({ scope }) => scopeName(scope));
    await forwarder.set(followed);
  };
  await look();
  const looking = lookAgain(look, { config, signal: ended.signal });
  return {
    isReady: () => teller.isFollowing(scopes),
    async stop() {
      ended.abort();
      await looking;
      await forwarder.stop();
      session.close();
    },
  };
}

type Opened = Pick<World, 'tell'> & { readonly session: Awaited<ReturnType<typeof openSession>> };

function worldOf(options: ForwardingOptions, { session, tell }: Opened): World {
  const { config, replica, sql, senderOn, pace = {} } = options;
  const { cluster } = config.current().installation;
  return {
    cluster,
    stream: openStream({ session }),
    store: storeOn(sql, { cluster, sender: senderOn }),
    // A process that comes back under the same name is another holder.
    holder: `${replica}/${process.pid}/${performance.timeOrigin}`,
    pace: { ...usualPace, ...pace },
    now: Date.now,
    random: Math.random,
    pause,
    tell,
  };
}

const lookEveryMs = 1_000;

/** A function that is switched on or off is followed within a second or two. */
async function lookAgain(
  look: () => Promise<void>,
  { config, signal }: { readonly config: ConfigSource; readonly signal: AbortSignal },
): Promise<void> {
  let seen = config.generation();
  while (!signal.aborted) {
    await pause(lookEveryMs, signal);
    if (signal.aborted || config.generation() === seen) continue;
    seen = config.generation();
    await look();
  }
}
