import { expect, it } from 'vitest';
import type { Store } from '#events/forwarder/ports.ts';
import { saying } from '#shared/runtime/forwarding/said.ts';

const own = new Error('a step of the forwarder');

/** As the library throws it. */
function thrown(code: string, message: string): Error {
  return Object.assign(new Error(message), { code, query: 'insert', parameters: ['secret'] });
}

it.each([
  [
    'a server that is read-only',
    thrown('25006', 'cannot execute INSERT'),
    /takes no writes.*25006/,
  ],
  ['a right that is missing', thrown('42501', 'permission denied for table'), /lacks a right/],
  ['a full disk', thrown('53100', 'could not extend file'), /is full/],
  ['a server that is away', thrown('ECONNREFUSED', 'connect'), /does not answer/],
])('%s is said with how to mend it, and without what was sent', async (_, cause, text) => {
  const store = saying({ identity: () => Promise.reject(cause) } as unknown as Store, 'the mirror');
  const error: unknown = await store.identity().catch((caught: unknown) => caught);
  expect(error).toMatchObject({ where: 'the mirror', mend: expect.any(String) });
  expect(String(error)).toMatch(text);
  expect(error).not.toHaveProperty('parameters');
});

it('what is no failure of the database stays what it is, and so does an answer', async () => {
  const failing = { identity: () => Promise.reject(own), renew: async () => true };
  const store = saying(failing as unknown as Store, 'the mirror');
  await expect(store.identity()).rejects.toBe(own);
  expect(await store.renew({ scope: 'pods', holder: 'a', number: 1 }, 1)).toBe(true);
});
