import type { Sql } from 'postgres';
import { openForwarder } from '#events/forwarder/forwarder.ts';
import type { Told } from '#events/forwarder/told.ts';
import { type Pace, usualPace, type World } from '#events/forwarder/world.ts';
import { type Login, openSession } from '#shared/adapters/cluster/login.ts';
import { openStream } from '#shared/adapters/cluster/stream.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import type { Kind } from '#shared/domain/kind.ts';
import { scopeName } from '#shared/domain/watched.ts';
import type { ConfigSource } from '../config/source.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { keptKinds } from '../mirrored-ports.ts';
import { pause } from '../pause.ts';
import type { Registry } from '../registry.ts';
import type { Vigil } from '../vigil.ts';
import type { SenderOn } from '../worker/queueing.ts';
import type { Tail } from '../worker/tail.ts';
import { followedBy } from './followed.ts';
import { lookAgain } from './look-again.ts';
import { oversee } from './overseen.ts';
import { reportOn } from './reporting.ts';
import { saying } from './said.ts';
import { streamLimits } from './stream-limits.ts';
import { sweepOn } from './sweeping.ts';
import { openTailing } from './tailing.ts';
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
  readonly senderOn: SenderOn;
  /** Then nobody here knows what its messages still name. */
  readonly isQueueElsewhere?: boolean;
  /** Whoever looks on. */
  readonly tail?: Pick<Tail, 'isWatched' | 'happened'>;
  readonly pace?: Partial<Pace>;
  readonly vigil: Pick<Vigil, 'sign' | 'leave'>;
};

export type Forwarding = {
  /** Everything that is to be followed is, by us or by the one that we stand by for. */
  isReady(): boolean;
  stop(): Promise<void>;
};

/** The forwarder on the real cluster and the real database, following what the settings switch on. */
export async function startForwarding(options: ForwardingOptions): Promise<Forwarding> {
  const { registry, config, login, log, metrics, vigil } = options;
  // Each watch holds a socket of its own.
  const session = await openSession(login, { maxSockets: 1_000 });
  const pace = paceOf(options);
  const teller = openTeller({
    log,
    registry: metrics.registry,
    now: steadyNow,
    idleMs: pace.idleMs,
  });
  const overseen = oversee(vigil, pace);
  const scopes = new Map<string, Kind>();
  const tailing = openTailing();
  const tell = (told: Told): void => {
    overseen.hear(told);
    teller.tell(told);
    show(told, options, { scopes, tailing });
  };
  const forwarder = openForwarder(worldOf(options, { session, tell }));
  const ended = new AbortController();

  const look = async (): Promise<void> => {
    const followed = followedBy(registry, config.current());
    scopes.clear();
    for (const { scope } of followed) scopes.set(scopeName(scope), scope.kind);
    const names = [...scopes.keys()];
    overseen.begin(names);
    await forwarder.set(followed);
    overseen.keepOnly(names);
    teller.keepOnly(names);
  };
  await look();
  const looking = lookAgain(look, { config, signal: ended.signal });
  const sweeping = sweepOn(options, { scopes: () => [...scopes.keys()], signal: ended.signal });
  const reporting = reportOn(teller.report, { signal: ended.signal });
  return {
    isReady: () => teller.isFollowing([...scopes.keys()]),
    async stop() {
      ended.abort();
      await Promise.all([looking, sweeping, reporting]);
      await forwarder.stop();
      overseen.keepOnly([]);
      session.close();
    },
  };
}

type Showing = {
  readonly scopes: ReadonlyMap<string, Kind>;
  readonly tailing: ReturnType<typeof openTailing>;
};

function show(told: Told, { tail, config }: ForwardingOptions, { scopes, tailing }: Showing): void {
  if (tail === undefined || (told.kind === 'committed' && !tail.isWatched())) return;
  const kind = scopes.get(told.scope);
  if (kind === undefined) return;
  const { cluster } = config.current().installation;
  for (const each of tailing(told, { cluster, kind, at: new Date() })) tail.happened(each);
}

/** Only times of this process are compared with it: one that is set back would wait for as long as the step. */
export function steadyNow(): number {
  return performance.timeOrigin + performance.now();
}

type Opened = Pick<World, 'tell'> & { readonly session: Awaited<ReturnType<typeof openSession>> };

function worldOf(options: ForwardingOptions, { session, tell }: Opened): World {
  const { config, replica, sql, senderOn } = options;
  const { cluster } = config.current().installation;
  return {
    cluster,
    stream: openStream({ session, ...streamLimits }),
    store: saying(storeOn(sql, { cluster, sender: senderOn, notifies: isKept }), 'the mirror'),
    // A process that comes back under the same name is another holder.
    holder: `${replica}/${process.pid}/${performance.timeOrigin}`,
    pace: paceOf(options),
    now: steadyNow,
    random: Math.random,
    pause,
    tell,
  };
}

function paceOf({ config, pace }: ForwardingOptions): Pace {
  return { ...usualPace, ...config.current().forwarder, ...pace };
}

/** The kinds that processes keep in memory; a notice that nobody wants costs every commit. */
function isKept({ group, resource }: Pick<Kind, 'group' | 'resource'>): boolean {
  return keptKinds.some((kept) => kept.group === group && kept.resource === resource);
}
