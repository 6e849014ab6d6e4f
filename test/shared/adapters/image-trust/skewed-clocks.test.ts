import { describe, expect, it } from 'vitest';
import { stage } from '#test/support/image-trust/judging.ts';

const gun = 'registry.example/team/app';
const minute = 60_000;
const start = new Date('2030-01-01T00:00:00Z');

/** One replica has judged while its clock was ahead of all others. */
async function judgedAhead(aheadMs: number) {
  const made = stage();
  const { world, clock } = made;
  const digest = world.push(`${gun}:1.0`, 'good');
  await world.sign(gun, { '1.0': digest });
  clock.setTo(new Date(start.getTime() + aheadMs).toISOString());
  await made.replica().one(`${gun}:1.0`);
  clock.setTo(start.toISOString());
  return { ...made, digest, another: made.replica() };
}

describe('what a replica stored whose clock is ahead', () => {
  it('is young for nobody any longer than its own is', async () => {
    const { world, clock, another, digest } = await judgedAhead(60 * minute);
    const image = `${gun}:1.0@${digest}`;
    expect(await another.one(image)).toMatchObject({ kind: 'trusted' });
    await world.sign(gun, {});
    clock.advanceMs(6 * minute);
    expect(await another.remember(image)).toMatchObject({ why: 'not-verified' });
    expect(await another.one(image)).toMatchObject({ kind: 'untrusted', why: 'not-signed' });
  });

  it('is no word on what a tag is', async () => {
    const { world, another } = await judgedAhead(60 * minute);
    const moved = world.push(`${gun}:1.0`, 'newer');
    await world.sign(gun, { '1.0': moved });
    expect(await another.one(`${gun}:1.0`)).toMatchObject({ kind: 'trusted', digest: moved });
  });

  it('serves as what any other stored where it is ahead by seconds', async () => {
    const { world, another, digest } = await judgedAhead(8_000);
    const before = world.timestamps();
    expect(await another.one(`${gun}:1.0@${digest}`)).toMatchObject({ kind: 'trusted' });
    expect(world.timestamps()).toBe(before);
  });
});
