import type { Refused } from '#shared/domain/watched.ts';
import type { Answer } from '../answer.ts';

export type No = Pick<Answer, 'status' | 'why' | 'reasons' | 'afterSeconds'>;

/** What the server means by its no; `undefined` where it is none that we know. */
export function refusedFrom(no: No): Refused | undefined {
  const { why, afterSeconds } = no;
  if (isExpired(no)) return { kind: 'expired', why };
  if (isAhead(no)) return { kind: 'ahead', why };
  if (no.status === 404) return { kind: 'absent', why };
  if (no.status === 401 || no.status === 403) return { kind: 'forbidden', why };
  if (isMoot(no)) return { kind: 'unsupported', why };
  return isBusy(no) ? { kind: 'busy', why, afterSeconds } : undefined;
}

/** Some say it by the reason alone. */
function isExpired({ status, reasons }: No): boolean {
  return status === 410 || reasons.includes('Expired') || reasons.includes('Gone');
}

/** Of Secrets we keep no message, but the cause names it too. */
function isAhead({ reasons, why }: No): boolean {
  return reasons.includes('ResourceVersionTooLarge') || /too large resource version/i.test(why);
}

/** A request that this server will never take; on etcd before 3.4.31 a streaming list is a 500, and so is a watch from what is no version. */
function isMoot({ status, why }: No): boolean {
  if (status === 500)
    return /RequestWatchProgress|sendInitialEvents|resourceVersion: Invalid value/.test(why);
  return [400, 405, 406, 415, 422].includes(status);
}

function isBusy({ status }: No): boolean {
  return status === 408 || status === 429 || (status >= 500 && status <= 599);
}
