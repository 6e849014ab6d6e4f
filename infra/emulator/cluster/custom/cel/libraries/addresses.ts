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
      throw new Error(
        `${unparsed}: ${unparsed}: netip.ParsePrefix(${JSON.stringify(text)}): no '/'`,
      );
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
  registerReaches(to);
  registerRanges(to);
}

/** What is local to a link, and what may be met anywhere: the rest of Go's words for it. */
function registerReaches(to: Environment): void {
  const is = (name: string, holds: (text: string) => boolean) =>
    to.registerFunction(`net.IP.${name}(): bool`, ({ text }: CelAddress) => holds(text));
  is('isLinkLocalUnicast', isLinkLocal);
  is('isLinkLocalMulticast', (text) => text.startsWith('224.0.0.') || /^ff.2:/i.test(text));
  is('isGlobalUnicast', isGlobal);
  to.registerFunction('string(net.IP): string', ({ text }: CelAddress) => canonical(text));
  to.registerOperator(
    'net.IP == net.IP',
    (one: CelAddress, other: CelAddress) => canonical(one.text) === canonical(other.text),
  );
}

function isLinkLocal(text: string): boolean {
  return text.startsWith('169.254.') || /^fe[89ab].:/i.test(text);
}

function isGlobal(text: string): boolean {
  const isNone = ['0.0.0.0', '255.255.255.255', '::', '::1'].includes(canonical(text));
  const isMany = /^(22[4-9]|23\d)\./.test(text) || /^ff/i.test(text);
  return !isNone && !isMany && !text.startsWith('127.') && !isLinkLocal(text);
}

/** As a URL has it: zeros left out, letters small. */
function canonical(text: string): string {
  return isIP(text) === 6 ? new URL(`x://[${text}]`).hostname.slice(1, -1) : text;
}

const unparsed = 'network address parse error during conversion from string';

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
  to.registerFunction(
    'net.CIDR.containsCIDR(net.CIDR): bool',
    (range: CelRange, other: CelRange) => other.bits >= range.bits && holds(range, other.address),
  );
  to.registerFunction(
    'string(net.CIDR): string',
    ({ address, bits }: CelRange) => `${canonical(address)}/${bits}`,
  );
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
