import { BlockList, isIP } from 'node:net';
import type { Environment } from '@marcbachmann/cel-js';

/** Classes, since the library tells types by their constructor. */
class CelAddress {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

class CelRange {
  readonly address: string;
  readonly bits: number;
  constructor(address: string, bits: number) {
    this.address = address;
    this.bits = bits;
  }
}

export function registerAddresses(to: Environment): void {
  to.registerType('net.IP', { ctor: CelAddress, fields: {} });
  to.registerType('net.CIDR', { ctor: CelRange, fields: {} });
  to.registerFunction('isIP(string): bool', isAddress);
  to.registerFunction('isCIDR(string): bool', (text: string) => rangeIn(text) !== undefined);
  to.registerFunction('ip(string): net.IP', (text: string) => {
    if (!isAddress(text))
      throw new Error(
        `IP Address ${JSON.stringify(text)} parse error during conversion from string`,
      );
    return new CelAddress(text);
  });
  to.registerFunction('cidr(string): net.CIDR', (text: string) => {
    const range = rangeIn(text);
    if (range === undefined)
      throw new Error('network address parse error during conversion from string');
    return range;
  });
  to.registerFunction('net.IP.family(): int', ({ text }: CelAddress) => BigInt(isIP(text)));
  to.registerFunction(
    'net.IP.isLoopback(): bool',
    ({ text }: CelAddress) => text === '::1' || text.startsWith('127.'),
  );
  to.registerFunction(
    'net.IP.isUnspecified(): bool',
    ({ text }: CelAddress) => text === '::' || text === '0.0.0.0',
  );
  registerRanges(to);
}

function registerRanges(to: Environment): void {
  const holds = ({ address, bits }: CelRange, ip: string) => {
    const list = new BlockList();
    list.addSubnet(address, bits, family(address));
    return family(ip) === family(address) && list.check(ip, family(ip));
  };
  to.registerFunction('net.CIDR.containsIP(string): bool', holds);
  to.registerFunction(
    'net.CIDR.containsIP(net.IP): bool',
    (range: CelRange, { text }: CelAddress) => holds(range, text),
  );
  to.registerFunction('net.CIDR.containsCIDR(string): bool', (range: CelRange, text: string) => {
    const other = rangeIn(text);
    return other !== undefined && other.bits >= range.bits && holds(range, other.address);
  });
  to.registerFunction('net.CIDR.prefixLength(): int', ({ bits }: CelRange) => BigInt(bits));
  to.registerFunction('net.CIDR.ip(): net.IP', ({ address }: CelRange) => new CelAddress(address));
}

/** A zone, and an IPv4 address in IPv6's clothes, are none here. */
function isAddress(text: string): boolean {
  return isIP(text) > 0 && !text.includes('%') && !/^::ffff:/i.test(text);
}

function rangeIn(text: string): CelRange | undefined {
  const [, address = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const most = isIP(address) === 4 ? 32 : 128;
  return isAddress(address) && Number(bits) <= most
    ? new CelRange(address, Number(bits))
    : undefined;
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}
