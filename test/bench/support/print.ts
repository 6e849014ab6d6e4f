import { type Bar, type Figure, type Report, rounded } from './bench.ts';

export function asJson({ bench, figures, bars }: Report): string {
  const entries = Object.entries(figures).map(([name, figure]) => [name, plain(figure)]);
  return JSON.stringify({ bench, figures: Object.fromEntries(entries), bars });
}

export function asTable({ bench, figures, bars }: Report): string {
  const rows = Object.entries(figures).map(([name, figure]) => [words(name), shown(figure)]);
  return [`${bench}`, ...aligned(rows), '', ...aligned(bars.map(barRow)), ''].join('\n');
}

function barRow({ what, value, bar, holds }: Bar): string[] {
  return [what, String(value), `bar ${bar}`, holds ? 'holds' : 'DOES NOT HOLD'];
}

function plain(figure: Figure): Figure {
  if (typeof figure === 'string') return figure;
  if (typeof figure === 'number') return rounded(figure);
  return { median: rounded(figure.median), low: rounded(figure.low), high: rounded(figure.high) };
}

function shown(figure: Figure): string {
  if (typeof figure === 'string') return figure;
  if (typeof figure === 'number') return String(rounded(figure));
  return `${rounded(figure.median)}  (${rounded(figure.low)} to ${rounded(figure.high)})`;
}

/** `bareReviewsPerSecond` reads as `bare reviews per second`. */
function words(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, (_, before: string, after: string) => {
    return `${before} ${after.toLowerCase()}`;
  });
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map(
    (row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`,
  );
}
