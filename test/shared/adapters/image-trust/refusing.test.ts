import { describe, expect, it } from 'vitest';
import type { Target } from '#shared/ports.ts';
import { byCosign, guarded, gun, poor, rich } from '#test/support/image-trust/guarded.ts';
import { rules, stage } from '#test/support/image-trust/judging.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import { answer } from '#test/support/tuf/notary-server.ts';

const minute = 60_000;

/** What says nothing of a manifest: how some ask for a login. */
const aPage = 200;

const refused = { kind: 'untrusted', why: 'registry-refused' };
const trusted = { kind: 'trusted', remarks: [] };
const waited = { kind: 'trusted', remarks: expect.arrayContaining(['not-asked-again']) };

describe.each<['by tag' | 'by digest', number]>([
  ['by tag', 401],
  ['by tag', 403],
  ['by digest', 401],
  ['by digest', 403],
  ['by digest', 404],
  ['by digest', 400],
  ['by digest', aPage],
])('a registry that refuses, %s with %i', (how, status) => {
  it('is not away: the image is not trusted', async () => {
    const { replica, names } = await guarded(status);
    expect(await replica().one(names[how], poor)).toMatchObject(refused);
  });

  it('refuses nobody else, at the same time or right after', async () => {
    const { replica, names } = await guarded(status);
    const [one, other] = [replica(), replica()];
    const all = [poor, rich, poor, rich].map((each) => one.one(names[how], each));
    // What was proven of a digest to one of them may serve the others.
    const either = { kind: expect.any(String) };
    expect(await Promise.all(all)).toMatchObject([either, trusted, either, trusted]);
    const fresh = await guarded(status);
    expect(await fresh.replica().one(fresh.names[how], poor)).toMatchObject(refused);
    expect(await fresh.replica().one(fresh.names[how], rich)).toMatchObject(trusted);
    expect(await other.one(names[how], rich)).toMatchObject(trusted);
  });

  it('shows it to whoever has come by the right login since', async () => {
    const { replica, names } = await guarded(status);
    const one = replica();
    await one.one(names[how], poor);
    expect(await one.one(names[how], rich)).toMatchObject(trusted);
  });

  it('leaves standing what others were shown, while that holds', async () => {
    const { replica, names, clock } = await guarded(status);
    const one = replica();
    await one.one(names[how], rich);
    clock.advanceMs(10 * minute);
    expect(await one.one(names[how], poor)).toMatchObject(waited);
    clock.advanceMs(25 * 60 * minute);
    expect(await one.one(names[how], poor)).toMatchObject(refused);
  });

  it('keeps a revocation from nobody who is shown it, however often others ask', async () => {
    const { replica, names, clock, revoke } = await guarded(status);
    const [one, other] = [replica(), replica()];
    await one.one(names[how], rich);
    revoke();
    clock.advanceMs(10 * minute);
    for (const each of [one, other, one]) await each.one(names[how], poor);
    expect(await one.one(names[how], rich)).toMatchObject({ kind: 'untrusted', why: 'not-signed' });
    expect(await other.one(names[how], poor)).toMatchObject({ kind: 'untrusted' });
  });
});

// What it shows to nobody without a login may look as if it were not there, or as if nobody had understood.
describe.each([401, 403, 404, 400, aPage])('a registry that hides an image by %i', (status) => {
  it.each(['by tag', 'by digest'] as const)(
    'changes nothing for those who know it %s, whoever else asks for its digest',
    async (how) => {
      const { replica, names, clock } = await guarded(status);
      const [one, other] = [replica(), replica()];
      await one.one(names[how], rich);
      clock.advanceMs(6 * minute);
      await one.one(names['by digest'], poor);
      expect(await one.one(names[how], rich)).toMatchObject(trusted);
      expect(await other.one(names[how], rich)).toMatchObject(trusted);
    },
  );

  it('tells nobody who asks at the same time what another one was not shown', async () => {
    const { replica, names, world } = await guarded(status);
    const one = replica();
    await one.one(names['by digest'], { ...rich, rules });
    const before = world.visits.length;
    world.delay.ms = 50;
    const first = one.one(names['by digest'], poor);
    await expect.poll(() => world.visits.length, { interval: 1 }).toBeGreaterThan(before);
    const both = [first, one.one(names['by digest'], rich)];
    expect(await Promise.all(both)).toMatchObject([refused, trusted]);
  });

  it('hides a configuration that is signed from whoever it refuses alone', async () => {
    const { replica, world } = await guarded(status);
    const { manifest, config } = makeImage('by configuration');
    const image = `${gun}:3.0@${world.put(`${gun}:3.0`, manifest, config)}`;
    await world.sign(gun, { '3.0': config.digest });
    const byNotary = { rich: { ...rich, rules }, poor: { ...poor, rules } };
    const rule = world.instead.rule;
    world.instead.rule = (asked) => (asked.url.includes('/_trust/') ? undefined : rule?.(asked));
    // The manifest is known to all, and its configuration to nobody yet.
    const one = replica();
    await one.one(image, { ...rich, rules: byCosign });
    expect(await one.one(image, byNotary.poor)).toMatchObject(refused);
    expect(await one.one(image, byNotary.rich)).toMatchObject({ kind: 'trusted' });
  });
});

describe('a pod whose pull secret cannot be read just now', () => {
  it.each([401, 404])('changes nothing for those who are shown the image (%i)', async (status) => {
    const { replica, names, clock, cluster } = await guarded(status);
    const [one, other] = [replica(), replica()];
    await one.one(names['by digest'], { ...rich, rules });
    const find = cluster.find.bind(cluster);
    Object.assign(cluster, {
      find: (target: Target) =>
        target.name === 'wrong' ? Promise.reject(new Error('busy')) : find(target),
    });
    const away = { kind: 'unavailable', why: 'login' };
    expect(await one.one(names['by digest'], poor)).toMatchObject(away);
    expect(await one.one(names['by digest'], rich)).toMatchObject(trusted);
    clock.advanceMs(6 * minute);
    expect(await one.one(names['by digest'], poor)).toMatchObject(waited);
    expect(await other.one(names['by digest'], rich)).toMatchObject(trusted);
  });
});

describe('a Notary that refuses', () => {
  async function open() {
    const { world, clock, replica } = stage();
    const image = `${gun}:1.0@${world.push(`${gun}:1.0`, 'good')}`;
    await world.sign(gun, { '1.0': image.replace(/.*@/, '') });
    const close = (status = 401) => {
      world.instead.rule = ({ url }) => (url.includes('/_trust/') ? answer(status) : undefined);
    };
    return { world, clock, close, judge: replica(), image };
  }

  it.each([401, 403, 400, 405, 414, 204])(
    'is not away: what it hides by a %i is not trusted, and is asked about again within seconds',
    async (status) => {
      const { world, clock, close, judge, image } = await open();
      close(status);
      expect(await judge.one(image)).toMatchObject({ kind: 'untrusted', why: 'notary-refused' });
      world.instead.rule = undefined;
      clock.advanceMs(5_000);
      expect(await judge.one(image)).toMatchObject({ kind: 'trusted' });
    },
  );

  it('leaves standing what it told before, while that holds', async () => {
    const { clock, close, judge, image } = await open();
    await judge.one(image);
    close();
    clock.advanceMs(10 * minute);
    expect(await judge.one(image)).toMatchObject(waited);
    clock.setTo('2031-01-01T00:00:01Z');
    expect(await judge.one(image)).toMatchObject({ kind: 'untrusted' });
  });
});
