import { isIP } from 'node:net';
import { type Place, text } from './place.ts';

type Warnings = readonly string[];

/** Of addresses in another form than the usual one, where fields of old take them. */
export function ipWarnings(at: Place): Warnings {
  const address = text(at);
  if (isIP(address) !== 6) return [];
  const mapped = mappedIn(address);
  if (mapped !== undefined) {
    return [
      `${at.path}: non-standard IP address "${address}" will be considered invalid in a future Kubernetes release: use "${mapped}"`,
    ];
  }
  const usual = usualForm(address);
  return usual === address
    ? []
    : [`${at.path}: IPv6 address "${address}" should be in RFC 5952 canonical format ("${usual}")`];
}

/** Of IPv4 within IPv6, the former. */
export function mappedIn(address: string): string | undefined {
  const [, high = '', low = ''] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(usualForm(address)) ?? [];
  if (high === '') return undefined;
  return [high, low]
    .map((part) => Number.parseInt(part, 16))
    .flatMap((part) => [part >> 8, part & 255])
    .join('.');
}

export function usualForm(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
