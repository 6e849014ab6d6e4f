import { describe, expect, it } from 'vitest';
import { type Reach, whyNotReached } from '#shared/domain/outside.ts';

describe('an address that a host resolves to', () => {
  it.each<[string, Reach, readonly string[], string | undefined]>([
    ['8.8.8.8', 'public', [], undefined],
    ['10.0.0.1', 'public', [], '10.0.0.1 is private'],
    ['10.0.0.1', 'internal', [], undefined],
    ['127.0.0.1', 'internal', [], '127.0.0.1 is loopback'],
    ['127.0.0.1', 'internal', ['127.0.0.1'], undefined],
    ['127.0.0.1', 'public', ['127.0.0.1'], '127.0.0.1 is loopback'],
    ['10.0.0.1', 'public', ['10.0.0.0/8'], '10.0.0.1 is private'],
    ['127.0.0.2', 'internal', ['127.0.0.1'], '127.0.0.2 is loopback'],
    ['::ffff:127.0.0.1', 'internal', ['127.0.0.0/8'], undefined],
    ['169.254.169.254', 'internal', ['127.0.0.0/8'], '169.254.169.254 is link-local'],
    ['169.254.169.254', 'internal', ['169.254.169.254'], undefined],
    ['100.100.100.200', 'internal', [], '100.100.100.200 is metadata'],
    ['10.0.0.1', 'public', ['10.0.0.0/33', 'nonsense'], '10.0.0.1 is private'],
    ['nonsense', 'internal', ['0.0.0.0/0'], 'nonsense is no address'],
  ])('%s, by a read of what is %s, with %j configured: %s', (address, reach, addresses, why) => {
    expect(whyNotReached(address, reach, { addresses })).toBe(why);
  });

  it('that is configured is open to reads of URLs that others choose where that is said', () => {
    const host = { addresses: ['10.0.0.0/8'], isForUsers: true };
    expect(whyNotReached('10.0.0.1', 'public', host)).toBeUndefined();
    expect(whyNotReached('127.0.0.1', 'public', host)).toBe('127.0.0.1 is loopback');
  });
});
