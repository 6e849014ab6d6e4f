import { randomInt } from 'node:crypto';
import type { JsonObject } from '#shared/domain/json.ts';
import { metadataOf, textIn, withMetadata } from './metadata.ts';

/** Without vowels and what looks alike: no name swears. */
const letters = 'bcdfghjklmnpqrstvwxz2456789';
const maxBase = 63 - 5;

/** `web-` becomes `web-x7k2p`, where no name is stated. */
export function generated(object: JsonObject): JsonObject {
  const metadata = metadataOf(object);
  const base = textIn(metadata, 'generateName');
  if (base === undefined || textIn(metadata, 'name') !== undefined) return object;
  const end = Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('');
  return withMetadata(object, { name: `${base.slice(0, maxBase)}${end}` });
}
