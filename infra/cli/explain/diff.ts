import { structuredPatch } from 'diff';
import { stringify } from 'yaml';
import type { JsonObject } from '#shared/domain/json.ts';
import type { Style } from '../output.ts';

/** Of the YAML of both, in the unified form; no lines where nothing differs. */
export function diffLines(before: JsonObject, after: JsonObject, end: string): readonly string[] {
  const { hunks } = structuredPatch('before', 'after', yamlOf(before), yamlOf(after), '', '', {
    context: 3,
  });
  if (hunks.length === 0) return [];
  return [
    '--- as it came',
    `+++ as ${end}`,
    ...hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
      `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
      ...lines,
    ]),
  ];
}

export function styleOf(line: string): Style | undefined {
  if (line.startsWith('+')) return 'green';
  if (line.startsWith('-')) return 'red';
  return line.startsWith('@@') ? 'cyan' : undefined;
}

function yamlOf(object: JsonObject): string {
  return stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 });
}
