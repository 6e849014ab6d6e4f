import type { Line } from '#shared/domain/watched.ts';
import type { How, Store } from './ports.ts';

const most = { lines: 50, bytes: 128 * 1024 };

/** More of it takes long enough, and memory enough, for a transaction of its own. */
export function companyOf(lines: readonly Line[]): How {
  const bytes = lines.reduce((sum, line) => sum + ('bytes' in line ? (line.bytes ?? 0) : 0), 0);
  return lines.length <= most.lines && bytes <= most.bytes ? 'in-company' : 'alone';
}

/**
 * What is taken to pieces before its transaction may begin grows old in memory meanwhile, and what arrives behind it waits
 * for one more. A flood goes alone, and waits for nobody.
 */
export async function untilTurn(bytes: number, store: Pick<Store, 'untilCompany'>): Promise<void> {
  if (bytes <= most.bytes) await store.untilCompany();
}
