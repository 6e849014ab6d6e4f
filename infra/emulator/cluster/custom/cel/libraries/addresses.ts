import { isIP } from 'node:net';
import type { Environment } from '@marcbachmann/cel-js';
import { parsedAddress } from './parsed-address.ts';

/** A class, since the library tells types by their constructor. */
export class CelAddress {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** The receiver of `ip.isCanonical(…)`: the library calls a function of a namespace on a constant. */
class AddressNamespace {}

export function registerAddresses(to: Environment): void {
  to.registerType('net.IP', { ctor: CelAddress, fields: {} });
  to.registerType('AddressNamespace', AddressNamespace);
  to.registerConstant('ip', 'AddressNamespace', new AddressNamespace());
  to.registerFunction(
    'isIP(string): bool',
    (text: string) => parsedAddress(text).kind === 'parsed',
  );
  to.registerFunction('ip(string): net.IP', (text: string) => addressOf(text));
  to.registerFunction(
    'AddressNamespace.isCanonical(string): bool',
    (_: unknown, text: string) => canonical(addressOf(text).text) === text,
  );
  to.registerFunction('net.IP.family(): int', ({ text }: CelAddress) => BigInt(isIP(text)));
  to.registerFunction('string(net.IP): string', ({ text }: CelAddress) => canonical(text));
  to.registerOperator(
    'net.IP == net.IP',
    (one: CelAddress, other: CelAddress) => canonical(one.text) === canonical(other.text),
  );
  const is = (name: string, holds: (text: string) => boolean) =>
    to.registerFunction(`net.IP.${name}(): bool`, ({ text }: CelAddress) => holds(canonical(text)));
  is('isLoopback', isLoopback);
  is('isUnspecified', isUnspecified);
  is('isLinkLocalUnicast', isLinkLocal);
  is('isLinkLocalMulticast', (text) => text.startsWith('224.0.0.') || /^ff.2:/i.test(text));
  is('isGlobalUnicast', isGlobal);
}

function addressOf(text: string): CelAddress {
  const parsed = parsedAddress(text);
  if (parsed.kind === 'not') throw new Error(parsed.why);
  return new CelAddress(text);
}

function isLoopback(text: string): boolean {
  return text === '::1' || text.startsWith('127.');
}

function isUnspecified(text: string): boolean {
  return text === '::' || text === '0.0.0.0';
}

function isLinkLocal(text: string): boolean {
  return text.startsWith('169.254.') || /^fe[89ab].:/i.test(text);
}

function isGlobal(text: string): boolean {
  const isMany = /^(22[4-9]|23\d)\./.test(text) || /^ff/i.test(text);
  const isNone = isUnspecified(text) || text === '255.255.255.255' || isLoopback(text);
  return !isNone && !isMany && !isLinkLocal(text);
}

/** As a URL has it: zeros left out, letters small. */
export function canonical(text: string): string {
  return isIP(text) === 6 ? new URL(`x://[${text}]`).hostname.slice(1, -1) : text;
}
