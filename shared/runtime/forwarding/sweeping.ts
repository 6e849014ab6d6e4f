import { isNamedIn } from '#events/postgres-queue/subjects.ts';
import { cutSecretAnnotations } from '#shared/adapters/database/secret-annotations.ts';
import { retireScopes, sweepTombstones, sweepUnfollowed } from '#shared/adapters/database/sweep.ts';
import type { Log } from '../log.ts';
import { pause } from '../pause.ts';
import type { ForwardingOptions } from './start.ts';

const everyMs = 60_000;
/**
 * What only an earlier build leaves behind is looked for soon after the start, and then by each sixtieth sweep: in a roll-out
 * that one may write on.
 */
const turnsBetween = 60;
const max = 5_000;
/** SQS keeps messages for 14 days, and what it buried for as many: nobody can ask it whom they name. */
const keptBySqsMs = 29 * 24 * 3_600_000;

type Sweeping = { readonly scopes: () => readonly string[]; readonly signal: AbortSignal };

/** What nobody needs any more: tombstones that no message names, and rows of kinds that nobody follows. */
export async function sweepOn(options: ForwardingOptions, { scopes, signal }: Sweeping) {
  const { sql, config, log, isQueueElsewhere } = options;
  const of = { sql, log };
  for (let turn = 0; !signal.aborted; turn += 1) {
    await pause(everyMs * (0.5 + Math.random()), signal);
    if (signal.aborted) return;
    const { cluster } = config.current().installation;
    await sweepOnce(of, {
      cluster,
      followed: scopes(),
      isQueueElsewhere: isQueueElsewhere === true,
      looksForOld: turn % turnsBetween === 0,
    });
  }
}

type Swept = {
  readonly cluster: string;
  readonly followed: readonly string[];
  readonly isQueueElsewhere: boolean;
  /** Rows as earlier builds wrote them. */
  readonly looksForOld: boolean;
};

type Means = Pick<ForwardingOptions, 'sql'> & { readonly log: Pick<Log, 'warn'> };

/** Each by itself: what one of them stumbles over may be there for ever, and the others go on. */
export async function sweepOnce(
  { sql, log }: Means,
  { cluster, followed, isQueueElsewhere, looksForOld }: Swept,
): Promise<void> {
  const olderThanMs = isQueueElsewhere ? keptBySqsMs : undefined;
  const sweeps = [
    () => retireScopes(sql, { cluster, followed }),
    () => sweepUnfollowed(sql, { cluster, max }),
    () => sweepTombstones(sql, { cluster, max, isNamed: isNamedIn, olderThanMs }),
    ...(looksForOld ? [() => cutSecretAnnotations(sql, { cluster })] : []),
  ];
  for (const sweep of sweeps) {
    try {
      await sweep();
    } catch (cause: unknown) {
      log.warn({ err: cause }, 'a sweep of the mirror failed, and is tried again');
    }
  }
}
