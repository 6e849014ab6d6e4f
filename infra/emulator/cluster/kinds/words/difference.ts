import { structuredPatch } from 'diff';
import type { Json } from '#shared/domain/json.ts';

/**
 * What changed, in the way of the real server: a diff of Go values as JSON. Where their form here is another than Go's
 * own, nobody reads it but people.
 */
export function goDiff(before: Json, next: Json): string {
  const { hunks } = structuredPatch('', '', linesOf(before), linesOf(next), '', '', { context: 3 });
  return hunks
    .flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
      `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`,
      ...lines,
    ])
    .map((line) => `${line}\n`)
    .join('');
}

function range(start: number, lines: number): string {
  return lines === 1 ? `${start}` : `${start},${lines}`;
}

function linesOf(value: Json): string {
  return `${JSON.stringify(value, undefined, 1)}\n`;
}
