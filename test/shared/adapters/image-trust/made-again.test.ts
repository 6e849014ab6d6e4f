import { expect, it } from 'vitest';
import { stage } from '#test/support/image-trust/judging.ts';
import { notary } from '#test/support/image-trust/trust-world.ts';
import type { Delegated } from '#test/support/tuf/publish.ts';
import { delegate, thief } from '#test/support/tuf/scene.ts';

const gun = 'registry.example/team/app';
const role = 'targets/releases';

/** An image of a delegate's that was seen at version 9, and what is said of another one after it was delegated so. */
async function afterwards(change: Partial<Delegated>) {
  const { world, clock, replica } = stage();
  const digest = world.push(`${gun}:1.0`, 'good');
  world.push(`${gun}:2.0`, 'good');
  const targets = { '1.0': digest, '2.0': digest };
  const releases = { name: role, signers: [delegate], paths: [''], targets };
  const { one } = replica();
  await world.sign(gun, {}, { delegations: [{ ...releases, version: 9 }] });
  expect(await one(`${gun}:1.0`)).toMatchObject({ kind: 'trusted' });
  await world.sign(gun, {}, { delegations: [{ ...releases, ...change }] });
  clock.advanceMs(600_000);
  return one(`${gun}:2.0`);
}

it.each([
  ['begins anew', { version: 1 }],
  ['is listed no more', { isMissing: true }],
])(
  'a delegation that was made again with the same key and %s is refused, and the way out is told',
  async (_, change) => {
    expect(await afterwards(change)).toMatchObject({
      kind: 'untrusted',
      why: 'bad-proof',
      note:
        `${notary} says of ${gun}:2.0 what is older than what was seen before, of ${role} at version 9: ` +
        'if that was delegated anew, give the delegate another key, or publish above version 9',
    });
  },
);

it.each([
  ['another key', { version: 1, signers: [thief] }],
  ['a version above', { version: 10 }],
])('and %s is that way', async (_, change) => {
  expect(await afterwards(change)).toMatchObject({ kind: 'trusted' });
});
