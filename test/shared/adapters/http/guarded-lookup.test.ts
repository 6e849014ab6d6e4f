import { afterEach, describe, expect, it } from 'vitest';
import { asked, openWorld, outsideOf } from '#test/support/registry/outside-world.ts';
import type { Script } from '#test/support/registry/scripted-host.ts';

const world = openWorld();
afterEach(() => world.close());

const says =
  (text: string): Script =>
  (_, response) => {
    response.end(text);
  };

describe('an address', () => {
  it.each([
    ['https://127.0.0.1/', 'internal'],
    ['https://[::1]/', 'internal'],
    ['https://0x7f000001/', 'internal'],
    ['https://[fd00:ec2::254]/', 'internal'],
    ['https://168.63.129.16/', 'internal'],
    ['https://10.0.0.1/', 'public'],
    ['https://[::ffff:10.0.0.1]/', 'public'],
    ['https://0.0.0.0/', 'internal'],
  ] as const)('%s is not reached from a read that may reach what is %s', async (url, reach) => {
    const outside = outsideOf([]);
    expect(await outside.read(asked(url, { reach }))).toMatchObject({
      kind: 'refused',
      why: 'address',
    });
  });

  it('is looked up once a connection, and the one that was checked is connected to', async () => {
    const { host } = await world.open('a.test', says('x'));
    const answers = ['127.0.0.1', '127.0.0.2'];
    const outside = outsideOf([{ host, plainHttp: true, addresses: ['127.0.0.1'] }], {
      resolve: async () => [{ address: answers.shift() ?? '', family: 4 }],
    });
    expect(await outside.read(asked(`http://${host}/`))).toMatchObject({ kind: 'answer' });
    expect(answers).toEqual(['127.0.0.2']);
    outside.close();
    // The name has moved since.
    expect(await outside.read(asked(`http://${host}/`))).toMatchObject({
      kind: 'refused',
      why: 'address',
    });
    outside.close();
  });

  it('that may not be reached is left out beside one that may', async () => {
    const { host, heard } = await world.open('a.test', says('x'));
    const outside = outsideOf([{ host, plainHttp: true, addresses: ['127.0.0.1'] }], {
      resolve: async () =>
        ['169.254.169.254', '127.0.0.1'].map((address) => ({ address, family: 4 })),
    });
    expect(await outside.read(asked(`http://${host}/`))).toMatchObject({ kind: 'answer' });
    expect(heard).toHaveLength(1);
    outside.close();
  });

  it('that is private is reached by those who may', async () => {
    const resolve = async () => [{ address: '10.255.255.255', family: 4 }];
    const outside = outsideOf([], { resolve, deadlineMs: 50 });
    const read = (reach: 'public' | 'internal') =>
      outside.read(asked('https://a.test/', { reach }));
    expect(await read('public')).toMatchObject({ kind: 'refused', why: 'address' });
    expect(await read('internal')).toMatchObject({ kind: 'unavailable' });
    outside.close();
  });

  it('behind an open connection is not shared with a read of less reach', async () => {
    const { host, connections } = await world.open('a.test', says('x'));
    const known = { host, plainHttp: true, addresses: ['127.0.0.1'], isForUsers: true };
    const outside = outsideOf([known]);
    await outside.read(asked(`http://${host}/`, { reach: 'internal' }));
    await outside.read(asked(`http://${host}/`, { reach: 'public' }));
    expect(connections()).toBe(2);
    outside.close();
  });
});
