import { diffArrays } from 'diff';
import type { Json } from '#shared/domain/json.ts';

/**
 * What changed, in the way of the real server's diff of Go values: lines with `+` and `-`. Its types and the number of
 * lines around a change differ; nobody reads it but people.
 */
export function goDiff(before: Json, next: Json): string {
  const changes = diffArrays([...linesOf(before)], [...linesOf(next)]);
  return changes
    .flatMap(({ value, added, removed }) => {
      if (!added && !removed) return edges(value);
      return value.map((line) => `${added ? '+' : '-'}${line}`);
    })
    .concat('')
    .join('\n');
}

/** Three lines on each side of a change say where it is. */
function edges(lines: readonly string[]): string[] {
  const shown = lines.length <= 6 ? lines : [...lines.slice(0, 3), '  ...', ...lines.slice(-3)];
  return shown.map((line) => ` ${line}`);
}

function linesOf(value: Json): readonly string[] {
  return JSON.stringify(value, undefined, 2).split('\n');
}
