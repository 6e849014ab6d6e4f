import type { Line } from '#shared/domain/watched.ts';
import type { How } from './ports.ts';

const most = { lines: 50, bytes: 128 * 1024 };

/** More of it takes long enough, and memory enough, for a transaction of its own. */
export function companyOf(lines: readonly Line[]): How {
  const bytes = lines.reduce((sum, line) => sum + ('bytes' in line ? (line.bytes ?? 0) : 0), 0);
  return lines.length <= most.lines && bytes <= most.bytes ? 'in-company' : 'alone';
}
