import { describe, expect, it } from 'vitest';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import { guarded, poor, rich } from '#test/support/image-trust/guarded.ts';
import { rules } from '#test/support/image-trust/judging.ts';

const revoked = { kind: 'untrusted', why: 'not-signed' };

type Reading = VerdictStore['find'];

/** Whoever keeps a verdict there waits until he is let in; from then on he reads so. */
function gate() {
  const reading: { as: Reading | undefined } = { as: undefined };
  const reached = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const before = ({ find, keep, ...store }: VerdictStore): VerdictStore => ({
    ...store,
    find: (collection, asked) => (reading.as ?? find)(collection, asked),
    keep: async (collection, verdicts, proof) => {
      const isTrust = verdicts.some(({ judgement }) => judgement.kind === 'trusted');
      if (collection.verifier === 'cosign' && isTrust) {
        reached.resolve();
        await open.promise;
      }
      return keep(collection, verdicts, proof);
    },
  });
  const openTo = (as: Reading) => {
    reading.as = as;
    open.resolve();
  };
  return { before, reached: reached.promise, open: open.resolve, openTo, reading };
}

/** An account is asked for by itself, since another one was refused, and has found out that the image is signed. */
async function underWay({ isKnown = false } = {}) {
  const made = await guarded(404, { patienceMs: 60_000 });
  const image = made.names['by digest'];
  const held = gate();
  const [one, other] = [made.replica(held.before), made.replica()];
  if (isKnown) {
    // Read from where it is shared, so that it is known at both.
    for (const each of [other, one]) await each.one(image, rich);
    made.clock.advanceMs(600_000);
  }
  // What the image is made of is known.
  await one.one(image, { ...rich, rules });
  made.world.delay.ms = 30;
  const before = made.world.visits.length;
  const refused = one.one(image, poor);
  await expect.poll(() => made.world.visits.length, { interval: 1 }).toBeGreaterThan(before);
  const told = one.one(image, rich);
  await refused;
  await held.reached;
  made.world.delay.ms = 0;
  return { ...made, image, held, one, other, told };
}

describe('trust that was found out before it was taken back', () => {
  it('takes the place of nothing that was found out meanwhile, for nobody', async () => {
    const { revoke, held, one, other, image, told, clock } = await underWay();
    revoke();
    expect(await other.one(image, rich)).toMatchObject(revoked);
    held.open();
    expect(await told).toMatchObject(revoked);
    for (const each of [one, other]) {
      expect(await each.remember(image, rich)).toMatchObject(revoked);
      expect(await each.one(image, rich)).toMatchObject(revoked);
    }
    clock.advanceMs(90_000);
    for (const each of [one, other]) {
      expect(await each.one(image, rich)).toMatchObject(revoked);
    }
  });

  it('is told as it is where nothing was', async () => {
    const { held, one, other, image, told } = await underWay();
    held.open();
    expect(await told).toMatchObject({ kind: 'trusted' });
    for (const each of [one, other]) {
      expect(await each.remember(image, rich)).toMatchObject({ kind: 'trusted' });
    }
  });

  it('is proven again by whoever begins after it', async () => {
    const { revoke, sign, held, one, other, image, told, clock } = await underWay();
    revoke();
    await other.one(image, rich);
    held.open();
    await told;
    sign();
    clock.advanceMs(120_000);
    for (const each of [other, one]) {
      expect(await each.one(image, rich)).toMatchObject({ kind: 'trusted' });
    }
  });

  describe.each<[string, Reading]>([
    ['cannot be read', () => Promise.reject(new Error('it is away'))],
    ['was proven under another root', async () => []],
  ])('where what was found out meanwhile %s', (_, reading) => {
    it.each([false, true])('is told to nobody, nor kept (known before: %s)', async (isKnown) => {
      const { revoke, held, one, other, image, told, clock, world } = await underWay({ isKnown });
      revoke();
      await other.one(image, rich);
      held.openTo(reading);
      expect(await told).toMatchObject({ kind: 'unavailable', why: 'contradicted' });
      expect(await one.remember(image, rich)).toMatchObject({ kind: 'unavailable' });
      clock.advanceMs(1_000);
      world.instead.rule = () => ({ kind: 'unavailable', why: 'no-connection', about: '' });
      expect(await one.one(image, rich)).toMatchObject({ kind: 'unavailable' });
    });
  });
});
