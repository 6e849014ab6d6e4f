import { BlockList, isIP } from 'node:net';
import type { Environment } from '@marcbachmann/cel-js';
import { CelAddress, canonical } from './addresses.ts';
import { complaint, parsedAddress } from './parsed-address.ts';

/** A class, since the library tells types by their constructor. */
class CelRange {
  readonly address: string;
  readonly bits: number;
  constructor(address: string, bits: number) {
    this.address = address;
    this.bits = bits;
  }
}

export function registerNetworks(to: Environment): void {
  to.registerType('net.CIDR', { ctor: CelRange, fields: {} });
  to.registerFunction('isCIDR(string): bool', (text: string) => typeof rangeIn(text) !== 'string');
  to.registerFunction('cidr(string): net.CIDR', (text: string) => rangeOf(text));
  to.registerFunction('net.CIDR.containsIP(string): bool', holds);
  to.registerFunction(
    'net.CIDR.containsIP(net.IP): bool',
    (range: CelRange, { text }: CelAddress) => holds(range, text),
  );
  to.registerFunction('net.CIDR.containsCIDR(string): bool', (range: CelRange, text: string) =>
    holdsAll(range, rangeOf(text)),
  );
  to.registerFunction('net.CIDR.containsCIDR(net.CIDR): bool', holdsAll);
  to.registerFunction(
    'string(net.CIDR): string',
    ({ address, bits }: CelRange) => `${canonical(address)}/${bits}`,
  );
  to.registerFunction('net.CIDR.prefixLength(): int', ({ bits }: CelRange) => BigInt(bits));
  to.registerFunction('net.CIDR.ip(): net.IP', ({ address }: CelRange) => new CelAddress(address));
  to.registerFunction('net.CIDR.masked(): net.CIDR', masked);
  to.registerOperator(
    'net.CIDR == net.CIDR',
    (one: CelRange, other: CelRange) =>
      one.bits === other.bits && canonical(one.address) === canonical(other.address),
  );
}

function holds({ address, bits }: CelRange, ip: string): boolean {
  const list = new BlockList();
  list.addSubnet(address, bits, family(address));
  return family(ip) === family(address) && list.check(ip, family(ip));
}

function holdsAll(range: CelRange, other: CelRange): boolean {
  return other.bits >= range.bits && holds(range, other.address);
}

/** The first address of the network. */
function masked({ address, bits }: CelRange): CelRange {
  const groups = groupsOf(address);
  const width = isIP(address) === 4 ? 8 : 16;
  const kept = groups.map((group, at) => {
    const below = Math.min(width, Math.max(0, (at + 1) * width - bits));
    return (group >> below) << below;
  });
  const text =
    isIP(address) === 4 ? kept.join('.') : kept.map((each) => each.toString(16)).join(':');
  return new CelRange(canonical(text), bits);
}

function groupsOf(address: string): readonly number[] {
  if (isIP(address) === 4) return address.split('.').map(Number);
  const [head = '', tail] = canonical(address).split('::');
  const [before, after] = [head, tail ?? ''].map((part) => {
    return part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  }) as [number[], number[]];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...zeros, ...after];
}

const problem = 'network address parse error during conversion from string:';

function rangeOf(text: string): CelRange {
  const range = rangeIn(text);
  if (typeof range === 'string') throw new Error(`${problem} ${range}`);
  return range;
}

/** Otherwise why it is none. */
function rangeIn(text: string): CelRange | string {
  const wrong = (why: string) => `${problem} netip.ParsePrefix(${JSON.stringify(text)}): ${why}`;
  const slash = text.lastIndexOf('/');
  if (slash < 0) return wrong("no '/'");
  const [address, bits] = [text.slice(0, slash), text.slice(slash + 1)];
  if (isIP(address) === 0) return wrong(complaint(address));
  if (address.includes('%')) return wrong('IPv6 zones cannot be present in a prefix');
  if (!/^(?:0|[1-9]\d*)$/.test(bits)) return wrong(`bad bits after slash: ${JSON.stringify(bits)}`);
  if (Number(bits) > (isIP(address) === 4 ? 32 : 128)) return wrong('prefix length out of range');
  const parsed = parsedAddress(address);
  return parsed.kind === 'not'
    ? `IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`
    : new CelRange(address, Number(bits));
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}
