import type { JsonObject } from '#shared/domain/json.ts';
import { metadataOf, numberOf, textOf } from '../words/edit.ts';

/**
 * 10.96.0.0/12 without its first 256 addresses, which are for `kubernetes` and the like. A service's address follows from
 * its name: after a restart or a new creation it is the same. Two can share one (0.5 % for 100 services); nothing routes by it.
 */
export function addressOf(service: JsonObject): string {
  const { namespace, name } = metadataOf(service);
  if (namespace === 'default' && name === 'kubernetes') return '10.96.0.1';
  const host = 256 + (hash(`${namespace}/${name}`) % (2 ** 20 - 257));
  const address = 10 * 2 ** 24 + 96 * 2 ** 16 + host;
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}

/** Of 10.96.0.0/12 */
export function isServiceAddress(address: string): boolean {
  const [first, second] = address.split('.').map(Number);
  return first === 10 && second !== undefined && second >= 96 && second < 112;
}

/** 30000 to 32767 */
export function nodePortOf(service: JsonObject, port: JsonObject): number {
  const { namespace, name } = metadataOf(service);
  const own = `${numberOf(port, 'port')}/${textOf(port, 'protocol')}`;
  return 30_000 + (hash(`${namespace}/${name}/${own}`) % 2768);
}

/** FNV-1a, 32 bits */
function hash(text: string): number {
  let sum = 0x811c9dc5;
  for (const byte of Buffer.from(text)) sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;
  return sum;
}
