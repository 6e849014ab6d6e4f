import { describe, expect, it } from 'vitest';
import { unavailable } from '#shared/domain/outside.ts';
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

  it('is recalled by nobody, who may not know that it was taken back since', async () => {
    const { world, clock, another, digest } = await judgedAhead(60 * minute);
    const image = `${gun}:1.0@${digest}`;
    await world.sign(gun, {});
    for (const afterMinutes of [0, 5, 30, 15]) {
      clock.advanceMs(afterMinutes * minute);
      expect(await another.remember(image)).toMatchObject({ why: 'not-verified' });
    }
    expect(await another.one(image)).toMatchObject({ kind: 'untrusted', why: 'not-signed' });
  });

  it('refuses nothing that was signed since', async () => {
    const { world, clock, replica } = stage();
    const digest = world.push(`${gun}:1.0`, 'good');
    await world.sign(gun, {});
    clock.advanceMs(60 * minute);
    await replica().one(`${gun}:1.0@${digest}`);
    clock.setTo(start.toISOString());
    await world.sign(gun, { '1.0': digest });
    expect(await replica().one(`${gun}:1.0@${digest}`)).toMatchObject({ kind: 'trusted' });
  });

  it('is no outage for others', async () => {
    const { world, clock, replica } = stage();
    const digest = world.push(`${gun}:1.0`, 'good');
    await world.sign(gun, { '1.0': digest });
    clock.advanceMs(60 * minute);
    world.instead.rule = ({ url }) =>
      url.includes('/_trust/') ? unavailable('no-connection', '') : undefined;
    await replica().one(`${gun}:1.0@${digest}`);
    world.instead.rule = undefined;
    clock.setTo(start.toISOString());
    expect(await replica().one(`${gun}:1.0@${digest}`)).toMatchObject({ kind: 'trusted' });
  });

  it('is proven again with the rest of its repository', async () => {
    const { world, clock, replica } = stage();
    const digests = ['1.0', '2.0'].map((tag) => [tag, world.push(`${gun}:${tag}`, tag)] as const);
    await world.sign(gun, Object.fromEntries(digests));
    const [first = '', second = ''] = digests.map(([tag, digest]) => `${gun}:${tag}@${digest}`);
    clock.advanceMs(60 * minute);
    await replica().one(first);
    clock.setTo(start.toISOString());
    const another = replica();
    await another.one(second);
    expect(await another.remember(first)).toMatchObject({ kind: 'trusted' });
  });
});

describe('what a replica remembers of a time when its own clock was wrong', () => {
  const image = `${gun}:1.0`;

  it.each([
    ['by tag', (tagged: string, _: string) => tagged],
    ['by digest', (tagged: string, digest: string) => `${tagged}@${digest}`],
  ])('is young for no longer than what is found out now, %s', async (_, named) => {
    const { world, clock, replica } = stage();
    const one = replica();
    const digest = world.push(image, 'good');
    await world.sign(gun, { '1.0': digest });
    clock.advanceMs(60 * minute);
    for (const ask of [one.one, one.remember]) {
      expect(await ask(named(image, digest))).toMatchObject({ kind: 'trusted' });
    }
    clock.setTo(start.toISOString());
    await world.sign(gun, {});
    clock.advanceMs(6 * minute);
    expect(await one.remember(named(image, digest))).toMatchObject({ why: 'not-verified' });
    expect(await one.one(named(image, digest))).toMatchObject({ kind: 'untrusted' });
  });

  it('keeps back nothing that was signed since', async () => {
    const { world, clock, replica } = stage();
    const one = replica();
    const named = `${image}@${world.push(image, 'good')}`;
    await world.sign(gun, {});
    clock.advanceMs(60 * minute);
    expect(await one.one(named)).toMatchObject({ kind: 'untrusted' });
    clock.setTo(start.toISOString());
    await world.sign(gun, { '1.0': named.replace(/.*@/, '') });
    expect(await one.one(named)).toMatchObject({ kind: 'trusted' });
  });

  it('is old at once where it was behind', async () => {
    const { world, clock, replica } = stage();
    const one = replica();
    await world.sign(gun, { '1.0': world.push(image, 'good') });
    await one.one(image);
    await world.sign(gun, {});
    clock.advanceMs(60 * minute);
    expect(await one.one(image)).toMatchObject({ kind: 'untrusted' });
  });

  it('serves as it would have where it was put back by seconds', async () => {
    const { world, clock, replica } = stage();
    const one = replica();
    await world.sign(gun, { '1.0': world.push(image, 'good') });
    clock.advanceMs(8_000);
    await one.one(image);
    clock.setTo(start.toISOString());
    const before = world.visits.length;
    expect(await one.one(image)).toMatchObject({ kind: 'trusted' });
    expect(world.visits).toHaveLength(before);
  });
});
