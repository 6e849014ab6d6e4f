import { stripVTControlCharacters } from 'node:util';
import type { Terminal } from '../output.ts';

/** Columns as wide as their widest cell; the last one goes on as it is. */
export function table(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  paint: Terminal['paint'],
): string {
  const widths = heads.map((head, column) =>
    Math.max(...[head, ...rows.map((row) => row[column] ?? '')].map(widthOf)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === heads.length - 1
          ? cell
          : cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)),
      )
      .join('  ')
      .trimEnd();
  return [paint('dim', line(heads)), ...rows.map(line)].map((each) => `${each}\n`).join('');
}

function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
}

/** Two parts at most: `45 s`, `3 min 20 s`, `2 h 5 min`. */
export function age(seconds: number): string {
  const whole = Math.floor(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}

/** What others wrote may hold anything: it must not move the cursor, nor colour what follows. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}
