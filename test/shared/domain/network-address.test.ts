import { BlockList, isIP, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isWithin,
  kindOfAddress,
  parseAddress,
  parseRange,
} from '#shared/domain/network-address.ts';

function kindOf(text: string) {
  const address = parseAddress(text);
  return address === undefined ? 'no address' : kindOfAddress(address);
}

describe('the kind of an address', () => {
  it.each([
    ['8.8.8.8', 'public'],
    ['172.15.255.255', 'public'],
    ['172.32.0.0', 'public'],
    ['2606:4700::1111', 'public'],
    ['10.1.2.3', 'private'],
    ['172.16.0.0', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['fd12::1', 'private'],
    ['fec0::1', 'private'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['169.254.169.254', 'link-local'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['febf::1', 'link-local'],
    ['168.63.129.16', 'metadata'],
    ['100.100.100.200', 'metadata'],
    ['192.0.0.192', 'metadata'],
    ['fd00:ec2::254', 'metadata'],
    ['fd00:0ec2:0:0::0254', 'metadata'],
    ['fd20:ce::254', 'metadata'],
    ['0.0.0.0', 'reserved'],
    ['::', 'reserved'],
    ['224.0.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['ff02::1', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['203.0.113.7', 'reserved'],
    ['4000::1', 'reserved'],
  ])('of %s is %s', (text, kind) => {
    expect(kindOf(text)).toBe(kind);
  });

  it.each([
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['0:0:0:0:0:ffff:a9fe:a9fe', 'link-local'],
    ['::127.0.0.1', 'loopback'],
    ['64:ff9b::169.254.169.254', 'link-local'],
    ['64:ff9b::8.8.8.8', 'public'],
    ['64:ff9b:1::7f00:1', 'reserved'],
    ['64:ff9b:1::808:808', 'reserved'],
    // 169.254.169.254, where a translator of a /48 looks for it.
    ['64:ff9b:1:a9fe:a9:fe00:808:808', 'reserved'],
    ['2002:7f00:1::', 'loopback'],
    ['2002:a9fe:a9fe::1', 'link-local'],
    ['2001:0:4136:e378:8000:63bf:5601:5601', 'link-local'],
    ['2a00:1:2:3:0:5efe:169.254.169.254', 'link-local'],
    ['2a00:1:2:3:200:5efe:10.0.0.1', 'private'],
    ['2a00:1:2:3:0:5efe:8.8.8.8', 'public'],
    ['fd00::5efe:8.8.8.8', 'private'],
    ['fe80::5efe:8.8.8.8', 'link-local'],
    ['::ffff:8.8.8.8', 'public'],
  ])('that hides in %s is %s', (text, kind) => {
    expect(kindOf(text)).toBe(kind);
  });

  it.each([
    '',
    '127.1',
    '0177.0.0.1',
    '2130706433',
    '1.2.3.256',
    '1.2.3.4.5',
    ':::',
    '127.0.0.1::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
    '::1.2.3',
    'localhost',
  ])('is not told of %j, which is no address', (text) => {
    expect(kindOf(text)).toBe('no address');
  });

  it.each(['http://2130706433/', 'http://0x7f.1/', 'http://0177.0.0.1/', 'http://127.1/'])(
    'is found however %s is spelt, since a URL spells it out',
    (url) => {
      expect(kindOf(new URL(url).hostname)).toBe('loopback');
    },
  );
});

describe('a range', () => {
  it.each([
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['127.0.0.1', '127.0.0.1', true],
    ['127.0.0.1', '127.0.0.2', false],
    ['192.168.128.0/17', '192.168.127.255', false],
    ['192.168.128.0/17', '192.168.128.0', true],
    ['127.0.0.0/8', '::ffff:127.0.0.1', true],
    ['fd00::/8', 'fd12::1', true],
    ['fd00::/8', 'fe00::1', false],
    ['::/0', '10.0.0.1', false],
    ['0.0.0.0/0', '10.0.0.1', true],
  ])('%s and %s: %s', (range, text, expected) => {
    const [parsed, address] = [parseRange(range), parseAddress(text)];
    expect(parsed && address && isWithin(address, parsed)).toBe(expected);
  });

  it.each(['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', 'all', '10.0.0.0/-1'])(
    'is none in %j',
    (text) => {
      expect(parseRange(text)).toBeUndefined();
    },
  );
});

describe('what Node itself takes for an address', () => {
  const group = fc.constantFrom('', '0', '1', 'ffff', 'fe80', '7f00', '00001', '127.0.0.1', 'g');
  const text = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.array(group, { maxLength: 9 }).map((groups) => groups.join(':')),
    fc
      .array(fc.constantFrom('0', '1', '255', '256', '01', ''), { maxLength: 5 })
      .map((parts) => parts.join('.')),
  );

  it('is one for us, and nothing else is', () => {
    fc.assert(
      fc.property(text, (each) => {
        expect([each, parseAddress(each) !== undefined]).toEqual([each, isIP(each) !== 0]);
      }),
      { seed: 6_007, numRuns: 3_000 },
    );
  });

  it('is in the same ranges', () => {
    const nearby = fc.constantFrom(
      '10.0.0.0',
      '10.255.255.255',
      '11.0.0.0',
      'fd00::',
      'fe00::',
      '::1',
      '::',
    );
    const address = fc.oneof(fc.ipV4(), fc.ipV6(), nearby);
    fc.assert(
      fc.property(address, address, fc.nat(128), (start, other, wanted) => {
        const family = isIPv6(start) ? 'ipv6' : 'ipv4';
        const bits = Math.min(wanted, isIPv6(start) ? 128 : 32);
        // Of the mapped form both make IPv4, at different moments.
        fc.pre(isIPv6(start) === isIPv6(other) && !/ffff/.test(start + other));
        const list = new BlockList();
        list.addSubnet(start, bits, family);
        const found = isWithin(addressOf(other), rangeOf(`${start}/${bits}`));
        expect(found).toBe(list.check(other, family));
      }),
      { seed: 6_008, numRuns: 3_000 },
    );
  });
});

function addressOf(text: string) {
  const address = parseAddress(text);
  if (address === undefined) throw new Error(`${text} is no address`);
  return address;
}

function rangeOf(text: string) {
  const range = parseRange(text);
  if (range === undefined) throw new Error(`${text} is no range`);
  return range;
}
