import { BlockList, isIP } from 'node:net';
import { mappedIn, usualForm } from './address-warnings.ts';
import { invalid } from './errors.ts';
import { type Errors, none, type Place, text } from './place.ts';

export function checkedIp(at: Place): Errors {
  const why = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
  return isIP(text(at)) === 0 ? [invalid(at, why, text(at))] : none;
}

/** In no other form than the usual one, as newer fields have it. */
export function checkedUsual(at: Place): Errors {
  const bad = checkedIp(at);
  if (bad.length > 0 || isIP(text(at)) === 4) return bad;
  if (mappedIn(text(at)) !== undefined) {
    return [invalid(at, 'must not be an IPv4-mapped IPv6 address')];
  }
  const usual = usualForm(text(at));
  return usual === text(at) ? none : [invalid(at, `must be in canonical form ("${usual}")`)];
}

/** Addresses that would lead back to the node; `unread` is said of what is no address at all. */
export function checkedReach(at: Place, unread?: string): Errors {
  const address = text(at);
  if (isIP(address) === 0) return unread === undefined ? none : [invalid(at, unread, address)];
  if (address === '0.0.0.0' || address === '::') {
    return [invalid(at, 'may not be unspecified (0.0.0.0 or ::)')];
  }
  if (address.startsWith('127.') || address === '::1') {
    return [invalid(at, 'may not be in the loopback range (127.0.0.0/8, ::1/128)')];
  }
  return address.startsWith('169.254.')
    ? [invalid(at, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)')]
    : none;
}

type Range = { readonly address: string; readonly bits: number; readonly family: 'ipv4' | 'ipv6' };

function rangeOf(cidr: string): Range | undefined {
  const [address = '', bits = '', ...more] = cidr.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0 || !/^\d+$/.test(bits)) return undefined;
  const isWell = Number(bits) <= (family === 6 ? 128 : 32);
  return isWell
    ? { address, bits: Number(bits), family: family === 6 ? 'ipv6' : 'ipv4' }
    : undefined;
}

export function checkedCidr(at: Place): Errors {
  return rangeOf(text(at)) === undefined
    ? [invalid(at, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')]
    : none;
}

/** A smaller part of the other range; what is no range is told elsewhere. */
export function isWithin(inner: string, outer: string): boolean {
  const [one, other] = [rangeOf(inner), rangeOf(outer)];
  if (one === undefined || other === undefined) return true;
  const whole = new BlockList();
  whole.addSubnet(other.address, other.bits, other.family);
  return one.bits > other.bits && whole.check(one.address, one.family);
}
