import { describe, expect, it } from 'vitest';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import type { OutsideRequest } from '#shared/domain/outside.ts';
import { stage } from '#test/support/image-trust/judging.ts';
import { notary, type TrustWorld } from '#test/support/image-trust/trust-world.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';

const gun = 'registry.example/team/app';
const minute = 60_000;

/** Of all others than the Notary nobody hears anything more, from the moment on that it says. */
function hangable({ outside }: TrustWorld): {
  readonly outside: TrustWorld['outside'];
  hang(): void;
} {
  let hangs = false;
  const read = async (request: OutsideRequest) => {
    const answered = outside.read(request);
    return hangs && !request.url.startsWith(notary)
      ? new Promise<never>(() => undefined)
      : answered;
  };
  return {
    outside: { ...outside, read },
    hang: () => {
      hangs = true;
    },
  };
}

/** Verified six minutes ago by one replica, and asked of one that was shown it by its tag, or never. */
async function hanging(how: 'by tag' | 'by digest') {
  const made = stage({}, undefined, { patienceMs: 20 });
  const { world, clock } = made;
  const { outside, hang } = hangable(world);
  Object.assign(world, { outside });
  const known = verdictsInMemory({ clock });
  const digest = world.push(`${gun}:1.0`, 'good');
  await world.sign(gun, { '1.0': digest });
  const image = how === 'by tag' ? `${gun}:1.0` : `${gun}:1.0@${digest}`;
  const one = made.replica(known.open());
  expect(await one.one(image)).toMatchObject({ kind: 'trusted' });
  const findFacts = async () => undefined;
  const replica = how === 'by tag' ? one : made.replica({ ...known.open(), findFacts });
  clock.advanceMs(6 * minute);
  hang();
  return { world, ask: () => replica.one(image, { withinMs: 300 }) };
}

describe.each(['by tag', 'by digest'] as const)('while its registry hangs, an image %s', (how) => {
  it('is trusted no more from the first look on, where its Notary has taken it back', async () => {
    const { world, ask } = await hanging(how);
    await world.sign(gun, { '2.0': makeImage('else').manifest.digest });
    expect(await ask()).toMatchObject({ kind: 'untrusted', why: 'not-signed' });
  });

  it('is as its Notary says it anew', async () => {
    const { ask } = await hanging(how);
    const asked = expect.not.arrayContaining(['not-asked-again']);
    expect(await ask()).toMatchObject({ kind: 'trusted', remarks: asked });
  });
});
