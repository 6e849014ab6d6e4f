import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `/functions/greet.ts:12`: the innermost of a stack's lines that lies in one of these folders. */
export function placeIn(stack: string, folders: readonly string[]): string | undefined {
  for (const [, url = '', line] of stack.matchAll(
    /(file:\/\/[^\s?)]+?)(?:\?[^:\s)]*)?:(\d+):\d+/g,
  )) {
    const path = fileURLToPath(url);
    if (folders.some((folder) => path.startsWith(folder + sep))) return `${path}:${line}`;
  }
  return undefined;
}
