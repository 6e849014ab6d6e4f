import { isNamedIn } from '#events/postgres-queue/subjects.ts';
import { retireScopes, sweepTombstones, sweepUnfollowed } from '#shared/adapters/database/sweep.ts';
import { pause } from '../worker/pause.ts';
import type { ForwardingOptions } from './start.ts';

const everyMs = 60_000;
const max = 5_000;
/** SQS keeps messages for 14 days, and what it buried for as many: nobody can ask it whom they name. */
const keptBySqsMs = 29 * 24 * 3_600_000;

type Sweeping = { readonly scopes: () => readonly string[]; readonly signal: AbortSignal };

/** What nobody needs any more: tombstones that no message names, and rows of kinds that nobody follows. */
export async function sweepOn(options: ForwardingOptions, { scopes, signal }: Sweeping) {
  const { sql, config, log, isQueueElsewhere } = options;
  while (!signal.aborted) {
    await pause(everyMs * (0.5 + Math.random()), signal);
    if (signal.aborted) return;
    const { cluster } = config.current().installation;
    try {
      await retireScopes(sql, { cluster, followed: scopes() });
      await sweepUnfollowed(sql, { cluster, max });
      const olderThanMs = isQueueElsewhere === true ? keptBySqsMs : undefined;
      await sweepTombstones(sql, { cluster, max, isNamed: isNamedIn, olderThanMs });
    } catch (cause: unknown) {
      log.warn({ err: cause }, 'a sweep of the mirror failed, and is tried again');
    }
  }
}
