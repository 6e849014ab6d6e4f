import { createHash } from 'node:crypto';

/** So many letters and digits, the same ones each time, of which no database can make less. */
export function noise(length: number): string {
  const hash = createHash('shake256', { outputLength: length });
  return hash.update(String(length)).digest('base64url').slice(0, length);
}
