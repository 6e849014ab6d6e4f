/** Four bytes or sixteen. */
export type NetworkAddress = readonly number[];

export type AddressKind =
  | 'public'
  | 'private'
  | 'loopback'
  | 'link-local'
  /** Where clouds hand their machines credentials, outside of the link-local range. */
  | 'metadata'
  | 'reserved';

export type AddressRange = { readonly start: NetworkAddress; readonly bits: number };

/** Only the canonical forms: octal, hexadecimal and decimal spellings of a host are made into these by `URL`. */
export function parseAddress(text: string): NetworkAddress | undefined {
  const [bare = ''] = text.split('%');
  const address = bare.includes(':') ? sixteenBytes(bare) : fourBytes(bare);
  return address === undefined ? undefined : unmapped(address);
}

/** `10.0.0.0/8`, `fd00::/8`, or one address. */
export function parseRange(text: string): AddressRange | undefined {
  const [before = '', after, ...more] = text.split('/');
  const start = parseAddress(before);
  if (start === undefined || more.length > 0) return undefined;

  const all = start.length * 8;
  if (after === undefined) return { start, bits: all };
  const bits = /^\d{1,3}$/.test(after) ? Number(after) : Number.NaN;
  return bits <= all ? { start, bits } : undefined;
}

export function isWithin(address: NetworkAddress, { start, bits }: AddressRange): boolean {
  if (address.length !== start.length) return false;
  return start.every((byte, index) => {
    const held = Math.min(8, Math.max(0, bits - index * 8));
    const mask = (0xff << (8 - held)) & 0xff;
    return (byte & mask) === ((address[index] ?? 0) & mask);
  });
}

const ranges = (kind: AddressKind, ...texts: readonly string[]) =>
  texts.flatMap((text) => {
    const range = parseRange(text);
    return range === undefined ? [] : [{ kind, range }];
  });

/** The first that fits: metadata services stand inside of wider ranges. */
const known = [
  // Azure, Alibaba, Oracle; AWS, Google and Scaleway over IPv6.
  ...ranges('metadata', '168.63.129.16', '100.100.100.200', '192.0.0.192'),
  ...ranges('metadata', 'fd00:ec2::254', 'fd20:ce::254', 'fd00:42::42'),
  ...ranges('loopback', '127.0.0.0/8', '::1'),
  ...ranges('link-local', '169.254.0.0/16', 'fe80::/10'),
  ...ranges('private', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'),
  ...ranges('private', 'fc00::/7', 'fec0::/10'),
  ...ranges('reserved', '0.0.0.0/8', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24'),
  ...ranges('reserved', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'),
  ...ranges('reserved', '2001:db8::/32', '3fff::/20'),
];

const globalUnicast = ranges('public', '2000::/3');

export function kindOfAddress(address: NetworkAddress): AddressKind {
  const inner = embedded(address);
  if (inner !== undefined) return kindOfAddress(inner);
  const found = known.find(({ range }) => isWithin(address, range));
  if (found !== undefined) return found.kind;
  if (address.length === 4) return 'public';
  if (!globalUnicast.some(({ range }) => isWithin(address, range))) return 'reserved';
  return isIsatap(address) ? kindOfAddress(address.slice(12)) : 'public';
}

/** In any prefix: `::0:5efe:a.b.c.d`, or `::200:5efe:a.b.c.d`. What is closed without that stays so. */
function isIsatap(address: NetworkAddress): boolean {
  return ['0,0,94,254', '2,0,94,254'].includes(address.slice(8, 12).join());
}

type Carrier = { readonly prefix: string; readonly at: number; readonly mask: number };

/**
 * IPv6 addresses that a gateway turns into the IPv4 address in them: NAT64, 6to4, Teredo, the old compatible form. None of
 * `64:ff9b:1::/48`, which each network's translator may divide as it likes: nobody else can say where the address stands.
 */
const carriers: readonly Carrier[] = [
  { prefix: '64:ff9b::/96', at: 12, mask: 0 },
  { prefix: '2002::/16', at: 2, mask: 0 },
  { prefix: '2001::/32', at: 12, mask: 0xff },
  { prefix: '::/96', at: 12, mask: 0 },
];

function embedded(address: NetworkAddress): NetworkAddress | undefined {
  if (address.length === 4 || isLowest(address)) return undefined;
  const carrier = carriers.find(({ prefix }) => {
    const range = parseRange(prefix);
    return range !== undefined && isWithin(address, range);
  });
  if (carrier === undefined) return undefined;
  return address.slice(carrier.at, carrier.at + 4).map((byte) => byte ^ carrier.mask);
}

/** `::` and `::1` are addresses of their own. */
function isLowest(address: NetworkAddress): boolean {
  return address.slice(0, 15).every((byte) => byte === 0) && (address[15] ?? 0) <= 1;
}

function unmapped(address: NetworkAddress): NetworkAddress {
  const isMapped =
    address.length === 16 &&
    address.slice(0, 10).every((byte) => byte === 0) &&
    address[10] === 0xff &&
    address[11] === 0xff;
  return isMapped ? address.slice(12) : address;
}

function fourBytes(text: string): NetworkAddress | undefined {
  const parts = text.split('.');
  const areBytes = parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
  return parts.length === 4 && areBytes ? parts.map(Number) : undefined;
}

function sixteenBytes(text: string): NetworkAddress | undefined {
  const [before = '', after, ...more] = text.split('::');
  if (more.length > 0) return undefined;

  // An IPv4 address may stand at the end alone.
  const [head, tail] = [groups(before, after === undefined), groups(after ?? '', true)];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 16 - head.length - tail.length;
  if (after === undefined ? missing !== 0 : missing < 2) return undefined;
  return [...head, ...Array.from({ length: missing }, () => 0), ...tail];
}

function groups(text: string, isLast: boolean): NetworkAddress | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const bytes = parts.map((part, index) =>
    isLast && part.includes('.') && index === parts.length - 1 ? fourBytes(part) : twoBytes(part),
  );
  return bytes.every((each) => each !== undefined) ? bytes.flat() : undefined;
}

function twoBytes(part: string): NetworkAddress | undefined {
  if (!/^[0-9a-fA-F]{1,4}$/.test(part)) return undefined;
  const value = Number.parseInt(part, 16);
  return [value >> 8, value & 0xff];
}
