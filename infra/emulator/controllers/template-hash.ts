import { isJsonObject } from '#shared/domain/json.ts';
import type { PodTemplate } from './shapes/pod.ts';

/** Letters that make no words. */
const letters = 'bcdfghjklmnpqrstvwxz2456789';

/** Names a template by its content. Not Kubernetes' own figure, which is of a Go value in memory. */
export function templateHash(template: PodTemplate, collisions = 0): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${canonicalText(template)}${collisions}`)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return [...String(hash)].map((digit) => letters[digit.charCodeAt(0) % letters.length]).join('');
}

function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (!isJsonObject(each)) return each;
    return Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}
