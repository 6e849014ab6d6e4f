import { expect, it } from 'vitest';
import { accountKey } from '#shared/adapters/registry/account.ts';

const credential = { kind: 'password', username: 'ann', password: 'word' } as const;

it('an account has a key of its own, without what it shows', () => {
  const others = [
    { ...credential, username: 'eve' },
    { ...credential, password: 'other' },
  ];
  const keys = [undefined, credential, ...others].map(accountKey);
  expect(new Set(keys).size).toBe(4);
  expect(keys.join()).not.toMatch(/ann|word/);
  expect(accountKey({ ...credential })).toBe(accountKey(credential));
});

it('an account is named once, however many reads of a registry it is for', () => {
  let hashed = 0;
  const counted = Object.assign({ ...credential }, { toJSON: () => (hashed += 1) });
  const keys = Array.from({ length: 3 }, () => accountKey(counted));
  expect(new Set(keys).size).toBe(1);
  expect(hashed).toBe(1);
});
