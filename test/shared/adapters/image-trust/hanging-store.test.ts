import { expect, it } from 'vitest';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import { stage } from '#test/support/image-trust/judging.ts';

const gun = 'registry.example/team/app';
const quarterMs = 15 * 60_000;
const tags = ['1.0', '1.1', '1.2', '1.3', '1.4'];

/** From then on it answers nothing, and fails nothing either. */
function hangable(store: VerdictStore, database: { isHanging: boolean }): VerdictStore {
  const wrapped = Object.entries(store).map(([name, call]) => [
    name,
    (...given: readonly unknown[]) =>
      database.isHanging && !name.startsWith('on')
        ? new Promise(() => undefined)
        : Reflect.apply(call, store, given),
  ]);
  return Object.fromEntries(wrapped);
}

it('an hour in which the database hangs keeps no image that can be verified waiting beyond its time', async () => {
  const database = { isHanging: false };
  const { world, clock, replica } = stage({}, () => hangable(verdictsInMemory().open(), database));
  const digests = Object.fromEntries(
    tags.map((tag) => [tag, world.push(`${gun}:${tag}`, `good-${tag}`)]),
  );
  await world.sign(gun, digests);
  const one = replica();
  await one.one(`${gun}:1.0`);
  database.isHanging = true;

  const withinMs = 5_000;
  for (const tag of tags) {
    const image = `${gun}:${tag}@${digests[tag]}`;
    const known = await one.remember(image, { withinMs });
    if (known.kind === 'unavailable') expect(known).toMatchObject({ why: 'not-verified' });
    expect(await one.one(image, { withinMs })).toMatchObject({ kind: 'trusted' });
    expect(await one.remember(image, { withinMs })).toMatchObject({ kind: 'trusted' });
    clock.advanceMs(quarterMs);
  }
});
