import { type Outages, openOutages } from '../worker/outage.ts';
import { sayFailure } from './ground.ts';
import type { House } from './house.ts';

/**
 * Of what is kept in Postgres, an error may be told as far as it is said here; SQS and the cluster stay in the log. Where
 * it is watched, each try has to come back.
 */
export function outagesOf(
  { conditions, log, queue, vigil }: House,
  name: string,
  how: 'watched' | 'unwatched' = 'watched',
): Outages {
  const isPostgres = name === 'schedule' || (name === 'queue' && queue.kind === 'postgres');
  return openOutages({
    name,
    conditions,
    log,
    random: Math.random,
    ...(how === 'watched' ? { vigil } : {}),
    ...(isPostgres ? { say: sayFailure } : {}),
  });
}
