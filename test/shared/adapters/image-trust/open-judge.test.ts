import { describe, expect, it } from 'vitest';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import { unavailable } from '#shared/domain/outside.ts';
import { rules, stage } from '#test/support/image-trust/judging.ts';
import { readsOf } from '#test/support/image-trust/reads-of.ts';
import { notary } from '#test/support/image-trust/trust-world.ts';
import {
  descriptorOf,
  makeImage,
  makeIndex,
  makePosing,
} from '#test/support/registry/pushed-image.ts';
import { answer } from '#test/support/tuf/notary-server.ts';
import { rootSigner, stranger } from '#test/support/tuf/scene.ts';

const gun = 'registry.example/team/app';
const minute = 60_000;
const silent = () => unavailable('no-connection', 'nobody');
const notaryAway = ({ url }: { readonly url: string }) =>
  url.startsWith(notary) ? silent() : undefined;

const registryAway = ({ url }: { readonly url: string }) =>
  url.startsWith('https://registry.example/') ? silent() : undefined;

/** `app:1.0` is pushed and signed, by a replica's eyes. */
async function signedStage(...given: Parameters<typeof stage>) {
  const made = stage(...given);
  const digest = made.world.push(`${gun}:1.0`, 'good');
  await made.world.sign(gun, { '1.0': digest });
  return { ...made, digest, replica: made.replica(), another: made.replica };
}

describe('a judge', () => {
  it('trusts what is signed, and tells by whom and until when', async () => {
    const { replica, digest } = await signedStage();
    expect(await replica.one(`${gun}:1.0`)).toEqual({
      kind: 'trusted',
      digest,
      children: [],
      by: { verifier: 'notary', server: notary, name: `${gun}:1.0`, keys: [expect.any(String)] },
      until: new Date('2031-01-01T00:00:00.123Z'),
      remarks: ['first-use'],
    });
  });

  it.each([
    ['a digest that is signed', (digest: string) => `${gun}@${digest}`, { kind: 'trusted' }],
    ['a digest under its tag', (digest: string) => `${gun}:1.0@${digest}`, { kind: 'trusted' }],
    ['a digest under another tag', (d: string) => `${gun}:2.0@${d}`, { why: 'not-signed' }],
    ['a tag that nobody pushed', () => `${gun}:3.0`, { why: 'not-signed' }],
    ['no name', () => 'REGISTRY/App', { why: 'bad-reference' }],
    ['another repository', (d: string) => `registry.example/b/evil@${d}`, { why: 'not-signed' }],
    ['a digest by sha512', () => `${gun}@sha512:${'a'.repeat(128)}`, { why: 'bad-reference' }],
  ])('given %s says so', async (_, image, expected) => {
    const { replica, digest } = await signedStage();
    expect(await replica.one(image(digest))).toMatchObject(expected);
  });

  it.each([
    ['a Notary', notary],
    ['a registry', 'https://registry.example/'],
  ])(
    'takes what %s sends for no proof where reading it throws, and no other image with it',
    async (_, whose) => {
      const { replica, world, digest } = await signedStage();
      const other = world.push('other.example/app:1.0', 'other');
      await world.sign('other.example/app', { '1.0': other });
      world.instead.rule = ({ url }) => {
        if (url.startsWith(whose) && url.includes('/team/app/')) throw new TypeError('split');
        return undefined;
      };
      const images = [`${gun}:1.0`, `${gun}:2.0@${digest}`, 'other.example/app:1.0'];
      const { signal } = new AbortController();
      const asked = { rules, isDryRun: false, signal };
      const broken = { kind: 'untrusted', why: 'bad-proof' };
      const expected = [broken, broken, { kind: 'trusted' }].map((judgement) => ({ judgement }));
      expect(await replica.judge(images, asked)).toMatchObject(expected);
      world.instead.rule = undefined;
      expect(await replica.one(`${gun}:1.0`)).toMatchObject({ kind: 'trusted' });
    },
  );

  it('refuses a tag that was moved to another image than the signed one', async () => {
    const { replica, world } = await signedStage();
    world.push(`${gun}:1.0`, 'evil');
    expect(await replica.one(`${gun}:1.0`)).toMatchObject({ why: 'other-digest' });
  });

  it('knows the images of a signed list, and judges none of them by the list', async () => {
    const { replica, world } = await signedStage();
    const { manifest } = makeImage('child');
    const list = world.put(`${gun}:2.0`, makeIndex(manifest));
    world.put(`${gun}:child`, manifest);
    await world.sign(gun, { '2.0': list });
    expect(await replica.one(`${gun}:2.0`)).toMatchObject({ children: [manifest.digest] });
    expect(await replica.one(`${gun}@${manifest.digest}`)).toMatchObject({ why: 'not-signed' });
  });

  it.each([
    [true, 'trusted'],
    [false, 'untrusted'],
  ])('with acceptConfigDigest %s finds a signed configuration %s', async (accept, kind) => {
    const { world, replica } = stage({ imageTrust: { acceptConfigDigest: accept } });
    const { manifest, config } = makeImage('old');
    world.put(`${gun}:1.0`, manifest, config);
    await world.sign(gun, { '1.0': config.digest });
    const judged = await replica().one(`${gun}:1.0`);
    expect(judged.kind).toBe(kind);
    if (judged.kind === 'trusted') expect(judged.digest).toBe(manifest.digest);
  });

  const old = makeImage('old');
  const called = (mediaType: string) =>
    makeImage('evil', { config: { ...descriptorOf(old.config), mediaType } });
  const layers = [old.layer, makeImage('evil').layer].map(descriptorOf);
  const list = makeIndex(old.manifest);
  it.each([
    ['a signed manifest', makePosing('evil', old.manifest)],
    ['a signed list', makePosing('evil', list)],
    ['what it says is something else', { ...called('text/plain'), config: old.config }],
    ['that of fewer layers', makeImage('evil', { config: descriptorOf(old.config), layers })],
  ])('is not deceived by an image whose configuration is %s', async (_, { manifest }) => {
    const all = [old.config, old.manifest, list];
    for (const { digest } of all) {
      // Nothing is remembered of the one before.
      const { world, replica } = stage();
      world.put(`${gun}:2.0`, manifest, ...all);
      await world.sign(gun, { '2.0': digest });
      expect(await replica().one(`${gun}:2.0`)).toMatchObject({ why: 'other-digest' });
      expect(await replica().one(`${gun}@${manifest.digest}`)).toMatchObject({ why: 'not-signed' });
    }
  });

  const configurationReads = ({ visits }: { readonly visits: readonly { url: string }[] }) =>
    visits.filter(({ url }) => url.includes('/blobs/')).length;

  it('reads a configuration where it decides alone, and once for all replicas', async () => {
    const { world, replica, clock } = stage();
    const direct = makeImage('direct');
    const places = [`${gun}:1.0`, `${gun}:2.0`, `${gun}:3.0`] as const;
    world.put(places[0], old.manifest, old.config);
    world.put(places[1], direct.manifest, direct.config);
    world.put(places[2], direct.manifest, direct.config);
    const signed = { '1.0': old.config.digest, '2.0': direct.manifest.digest };
    await world.sign(gun, { ...signed, '3.0': old.manifest.digest });
    const replicas = verdictsInMemory();
    const [one, other] = [replica(replicas.open()), replica(replicas.open())];
    const kinds = async (each: typeof one) => {
      const judged = await Promise.all(places.map((place) => each.one(place)));
      return judged.map(({ kind }) => kind);
    };
    const expected = ['trusted', 'trusted', 'untrusted'];
    expect(await kinds(one)).toEqual(expected);
    expect(configurationReads(world)).toBe(1);
    clock.advanceMs(5 * minute);
    expect(await kinds(other)).toEqual(expected);
    await world.sign(gun, { ...signed, '4.0': direct.manifest.digest });
    clock.advanceMs(5 * minute);
    expect(await kinds(one)).toEqual(expected);
    expect(configurationReads(world)).toBe(1);
  });

  it('does not know, while the configuration that decides cannot be read', async () => {
    const { world, replica } = stage();
    world.put(`${gun}:1.0`, old.manifest, old.config);
    await world.sign(gun, { '1.0': old.config.digest });
    world.instead.rule = ({ url }) => (url.includes('/blobs/') ? answer(503) : undefined);
    expect(await replica().one(`${gun}:1.0`)).toMatchObject({ why: 'registry' });
  });

  it.each([
    ['by tag', `${gun}:9`],
    ['by a digest that nobody could sign', `${gun}@sha512:${'a'.repeat(128)}`],
  ])('lets through what needs no signature, %s, and asks nobody', async (_, image) => {
    const { replica, world } = await signedStage();
    const allowing = { rules: { ...rules, allowed: ['registry.example/team'] } };
    const allowed = { kind: 'allowed', entry: 'registry.example/team' };
    expect(await replica.remember(image, allowing)).toEqual(allowed);
    expect(await replica.one(image, allowing)).toEqual(allowed);
    expect(world.visits).toEqual([]);
  });

  it('reads the list of what needs no signature once, however often it is asked by the same rules', async () => {
    const { replica } = await signedStage();
    const entries = Array.from({ length: 50 }, (_, at) => `allowed.example/team-${at}`);
    const { list, reads } = readsOf(entries);
    const asked = { rules: { ...rules, allowed: list } };
    for (const entry of entries) {
      expect(await replica.one(`${entry}/app:1`, asked)).toMatchObject({ entry });
      expect(await replica.remember(`${entry}/app:2`, asked)).toMatchObject({ entry });
    }
    // To tell these rules from others, and to find an entry.
    expect(reads()).toBe(2 * entries.length);
  });

  it('asks once for all who ask at the same time, and again after five minutes', async () => {
    const { replica, world, clock } = await signedStage();
    await Promise.all(Array.from({ length: 50 }, () => replica.one(`${gun}:1.0`)));
    expect(world.timestamps()).toBe(1);
    clock.advanceMs(4 * minute);
    await replica.one(`${gun}:1.0`);
    expect(world.timestamps()).toBe(1);
    clock.advanceMs(minute);
    await replica.one(`${gun}:1.0`);
    expect(world.timestamps()).toBe(2);
  });

  it('asks once for three replicas, and for twenty images of a repository by one reading', async () => {
    const { another, world } = await signedStage();
    const tags = Array.from({ length: 20 }, (_, at) => `t${at}`);
    const signed = tags.map((tag) => [tag, world.push(`${gun}:${tag}`, tag)] as const);
    await world.sign(gun, Object.fromEntries(signed));
    world.delay.ms = 5;
    const replicas = [another(), another(), another()];
    const judged = await Promise.all(
      replicas.flatMap((each) => tags.map((tag) => each.one(`${gun}:${tag}`))),
    );
    expect(judged.map(({ kind }) => kind)).toEqual(judged.map(() => 'trusted'));
    expect(world.timestamps()).toBeLessThanOrEqual(3);
  });

  it('notices within five minutes that a signature was taken back', async () => {
    const { replica, world, clock } = await signedStage();
    await replica.one(`${gun}:1.0`);
    await world.sign(gun, {});
    clock.advanceMs(5 * minute);
    expect(await replica.one(`${gun}:1.0`)).toMatchObject({ why: 'not-signed' });
  });

  it('follows a tag that is moved and signed anew within seconds', async () => {
    const { replica, world, clock } = await signedStage();
    await replica.one(`${gun}:1.0`);
    const digest = world.push(`${gun}:1.0`, 'better');
    await world.sign(gun, { '1.0': digest });
    clock.advanceMs(5_000);
    expect(await replica.one(`${gun}:1.0`)).toMatchObject({ kind: 'trusted', digest });
  });

  it('tells the other replicas at once what a reading found out about other images', async () => {
    const { replica, another, world, clock, digest } = await signedStage();
    const two = another();
    const image = `${gun}:1.0@${digest}`;
    await Promise.all([replica.one(image), two.one(image)]);
    await world.sign(gun, { '2.0': digest });
    clock.advanceMs(4 * minute);
    await replica.one(`${gun}:2.0@${digest}`);
    expect(await two.one(image)).toMatchObject({ why: 'not-signed' });
  });

  it('has kept all that a reading found out before anybody is told', async () => {
    const { open } = verdictsInMemory();
    const { replica, another, world, clock, digest } = await signedStage({}, open);
    const two = another();
    const image = `${gun}:1.0@${digest}`;
    await Promise.all([replica.one(image), two.one(image)]);
    const told: Promise<Judgement>[] = [];
    open().onChange(() => told.push(two.remember(image)));
    await world.sign(gun, { '2.0': digest });
    clock.advanceMs(4 * minute);
    await replica.one(`${gun}:2.0@${digest}`);
    expect(await Promise.all(told)).toMatchObject([{ why: 'not-signed' }]);
  });

  it('makes others look anew at what rests on what has changed, and at nothing else', async () => {
    const { replica, another, world, clock, digest } = await signedStage();
    const other = 'other.example/app';
    await world.sign(other, { '1.0': world.push(`${other}:1.0`, 'other') });
    const [own, others] = [
      `${gun}:1.0@${digest}`,
      `${other}:1.0@${makeImage('other').manifest.digest}`,
    ];
    const two = another();
    const before = [await two.one(own), await two.one(others)];
    clock.advanceMs(minute);
    // The snapshot of one of them is another one: all replicas are told.
    await world.sign(gun, { '1.0': digest, '2.0': digest });
    await replica.one(`${gun}:2.0@${digest}`);
    const after = [await two.one(own), await two.one(others)];
    expect(after).toMatchObject([{ kind: 'trusted' }, { kind: 'trusted' }]);
    // The very same answer is what was remembered.
    expect([after[0] === before[0], after[1] === before[1]]).toEqual([false, true]);
  });

  it('proves all images of a repository by the reading that was due for one of them', async () => {
    const { replica, another, world, clock, digest } = await signedStage();
    const other = world.push(`${gun}:2.0`, 'other');
    await world.sign(gun, { '1.0': digest, '2.0': other });
    await Promise.all([replica.one(`${gun}:1.0`), replica.one(`${gun}:2.0`)]);
    const before = world.timestamps();
    await world.sign(gun, { '1.0': digest });
    clock.advanceMs(5 * minute);
    await replica.one(`${gun}:1.0`);
    expect(await another().one(`${gun}:2.0`)).toMatchObject({ kind: 'untrusted' });
    expect(world.timestamps()).toBe(before + 1);
  });
});

describe('while the Notary is away', () => {
  it('what was verified goes on serving until its metadata expires, and what is new does not', async () => {
    const { replica, another, world, clock, digest } = await signedStage();
    await replica.one(`${gun}:1.0`);
    world.instead.rule = notaryAway;
    clock.advanceMs(60 * minute);
    expect(await replica.one(`${gun}@${digest}`)).toMatchObject({ why: 'notary' });
    expect(await replica.one(`${gun}:1.0@${digest}`)).toMatchObject({ kind: 'trusted' });
    expect(await another().one(`${gun}:1.0`)).toMatchObject({ kind: 'trusted' });
    clock.setTo('2031-01-01T00:00:01Z');
    expect((await replica.one(`${gun}:1.0@${digest}`)).kind).not.toBe('trusted');
  });

  it('it is asked again after some seconds, not for each review', async () => {
    const { replica, world, clock } = await signedStage();
    world.instead.rule = notaryAway;
    await replica.one(`${gun}:1.0`);
    const before = world.visits.length;
    await replica.one(`${gun}:1.0`);
    expect(world.visits).toHaveLength(before);
    world.instead.rule = undefined;
    clock.advanceMs(5_000);
    expect(await replica.one(`${gun}:1.0`)).toMatchObject({ kind: 'trusted' });
  });

  it.each([
    ['and the registry too, for half an hour', silent, 30, 'registry'],
    ['and the registry too, for an hour', silent, 60, 'registry'],
    ['or the registry alone, for an hour', registryAway, 60, 'not-signed'],
  ])('%s, a tag stands for what it was, if that is signed', async (_, away, minutes, why) => {
    const { replica, another, world, clock } = await signedStage();
    await replica.one(`${gun}:1.0`);
    world.instead.rule = away;
    clock.advanceMs(minutes * minute);
    expect(await replica.one(`${gun}:1.0`)).toMatchObject({ kind: 'trusted' });
    expect(await another().one(`${gun}:1.0`)).toMatchObject({ kind: 'trusted' });
    expect(await replica.one(`${gun}:new`)).toMatchObject({ why });
  });

  it('or the registry says nothing at all, which is no other outage', async () => {
    const { replica, another, world, clock } = await signedStage();
    await replica.one(`${gun}:1.0`);
    world.delay.ms = 2_000;
    clock.advanceMs(30 * minute);
    const brief = { withinMs: 20 };
    expect(await replica.one(`${gun}:1.0`, brief)).toMatchObject({ kind: 'trusted' });
    expect(await another().one(`${gun}:1.0`, brief)).toMatchObject({ kind: 'trusted' });
    expect(await replica.one(`${gun}:new`, brief)).toMatchObject({ why: 'too-slow' });
    clock.advanceMs(24 * 60 * minute);
    expect(await replica.one(`${gun}:1.0`, brief)).toMatchObject({ why: 'too-slow' });
  });
});

describe('whoever never answers', () => {
  const boundMs = 250;
  const shared = () => signedStage({}, verdictsInMemory().open, { boundMs });

  it('is a Notary that is away, from the bound of a verification on, and its claim is given back', async () => {
    const { replica, another, world, clock, digest } = await shared();
    await replica.one(`${gun}:1.0@${digest}`);
    await world.sign(gun, { '2.0': digest });
    world.delay.ms = 60_000;
    const startedAt = performance.now();
    const judged = await replica.one(`${gun}:2.0@${digest}`);
    expect(judged).toMatchObject({ kind: 'unavailable', why: 'too-slow' });
    expect(performance.now() - startedAt).toBeLessThan(rules.timeoutMs / 2);
    world.delay.ms = 0;
    clock.advanceMs(5_000);
    const brief = { withinMs: 1_000 };
    expect(await another().one(`${gun}:2.0@${digest}`, brief)).toMatchObject({ kind: 'trusted' });
  });

  it('is a registry that is away, from the same bound on', async () => {
    const { replica, world } = await shared();
    world.delay.ms = 60_000;
    const startedAt = performance.now();
    const judged = await replica.one(`${gun}:1.0`);
    expect(judged).toMatchObject({ kind: 'unavailable', why: 'too-slow' });
    expect(performance.now() - startedAt).toBeLessThan(rules.timeoutMs / 2);
  });
});

describe('a first use', () => {
  it('holds from then on: another root is not trusted any more', async () => {
    const { replica, another, world, clock, digest } = await signedStage();
    await replica.one(`${gun}:1.0`);
    await world.sign(gun, { '1.0': digest }, { owner: await rootSigner(gun) });
    clock.advanceMs(5 * minute);
    expect(await replica.one(`${gun}:1.0`)).toMatchObject({ why: 'bad-proof' });
    expect(await another().one(`${gun}:1.0`)).toMatchObject({ why: 'bad-proof' });
  });

  it('is planted by no dry run', async () => {
    const { replica, another, world, clock, digest } = await signedStage();
    await world.sign(gun, { '1.0': digest }, { owner: await rootSigner(gun) });
    const dry = await replica.one(`${gun}:1.0`, { isDryRun: true });
    expect(dry).toMatchObject({ kind: 'trusted' });
    await world.sign(gun, { '1.0': digest }, { owner: await rootSigner(gun) });
    clock.advanceMs(5 * minute);
    expect(await replica.one(`${gun}:1.0`)).toMatchObject({ kind: 'trusted' });
    expect(await another().one(`${gun}:1.0`)).toMatchObject({ kind: 'trusted' });
  });

  it('can be switched off', async () => {
    const { replica } = await signedStage({ imageTrust: { notary: { firstUse: 'refuse' } } });
    expect(await replica.one(`${gun}:1.0`)).toMatchObject({ why: 'bad-proof' });
  });

  it('is of a namespace alone where the namespace names the Notary', async () => {
    const { replica, world, digest } = await signedStage();
    const owner = { namespace: 'team-a' };
    await replica.one(`${gun}:1.0`, { rules: { ...rules, owner } });
    await world.sign(gun, { '1.0': digest }, { owner: await rootSigner(gun) });
    expect(await replica.one(`${gun}:1.0`)).toMatchObject({ kind: 'trusted' });
  });

  it('is no first use where a pin says whose root it has to be', async () => {
    const pinned = (id: string) => ({
      imageTrust: { notary: { pins: [{ prefix: 'registry.example', keyIds: [id] }] } },
    });
    const root = await rootSigner(gun);
    for (const [id, kind] of [
      [root.id, 'trusted'],
      [stranger.id, 'untrusted'],
    ] as const) {
      const { replica, world } = stage(pinned(id) as object);
      await world.sign(gun, { '1.0': world.push(`${gun}:1.0`, 'good') }, { owner: root });
      expect((await replica().one(`${gun}:1.0`)).kind).toBe(kind);
    }
  });
});

describe('a verdict', () => {
  it('of one Notary is none of another', async () => {
    const { replica } = await signedStage();
    await replica.one(`${gun}:1.0`);
    const url = 'https://other.example';
    const other = { ...rules, verifiers: [{ ...rules.verifiers[0], url }] as never };
    expect(await replica.one(`${gun}:1.0`, { rules: other })).toMatchObject({ why: 'not-signed' });
  });

  it('is remembered by whoever validates, and nobody outside is asked', async () => {
    const { replica, another, world, digest } = await signedStage();
    expect(await another().remember(`${gun}:1.0@${digest}`)).toMatchObject({ why: 'not-verified' });
    await replica.one(`${gun}:1.0`);
    const before = world.visits.length;
    expect(await another().remember(`${gun}:1.0@${digest}`)).toMatchObject({ kind: 'trusted' });
    expect(await another().remember(`${gun}:2.0@${digest}`)).toMatchObject({ why: 'not-verified' });
    expect(await another().remember(`${gun}:1.0`)).toMatchObject({ kind: 'trusted' });
    expect(world.visits).toHaveLength(before);
  });

  it('outlives the review that asked for it', async () => {
    const { replica, world } = await signedStage();
    world.delay.ms = 30;
    const signal = AbortSignal.timeout(5);
    expect(await replica.one(`${gun}:1.0`, { signal })).toMatchObject({ why: 'too-slow' });
    expect(await replica.one(`${gun}:1.0`)).toMatchObject({ kind: 'trusted' });
    expect(world.timestamps()).toBe(1);
  });

  it('is waited for as long as each of those who ask together has time', async () => {
    const { replica, world } = await signedStage();
    world.delay.ms = 30;
    const [hurried, patient] = await Promise.all([
      replica.one(`${gun}:1.0`, { withinMs: 5 }),
      replica.one(`${gun}:1.0`),
    ]);
    expect(hurried).toMatchObject({ why: 'too-slow' });
    expect(patient).toMatchObject({ kind: 'trusted' });
    expect(world.timestamps()).toBe(1);
  });

  it('keeps nobody waiting who has less time than the one who asked first', async () => {
    const { replica, world } = await signedStage();
    world.delay.ms = 30;
    const patient = replica.one(`${gun}:1.0`);
    const hurried = replica.one(`${gun}:1.0`, { withinMs: 5 });
    expect(await Promise.race([patient, hurried])).toMatchObject({ why: 'too-slow' });
    expect(await patient).toMatchObject({ kind: 'trusted' });
  });
});

describe('what is known of one', () => {
  const [verifier] = rules.verifiers;
  const evilServer = 'https://evil.example';
  const ofUser = (namespace: string) => ({
    rules: {
      ...rules,
      owner: { namespace },
      verifiers: [{ ...verifier, kind: 'notary', url: evilServer, reach: 'public' }],
    } as typeof rules,
  });

  /** `evil` is signed by the Notary of a namespace, `good` by the platform's: both under the same name. */
  async function poisoned() {
    const made = await signedStage();
    const evil = made.world.push(`${gun}:evil`, 'evil');
    await made.world.sign(gun, { '1.0': evil, evil }, { server: evilServer });
    const image = `${gun}:1.0@${evil}`;
    expect(await made.replica.one(image, ofUser('team-a'))).toMatchObject({ kind: 'trusted' });
    return { ...made, evil, image };
  }

  it('namespace vouches for nothing on the platform, whoever asks first', async () => {
    const { replica, another, image } = await poisoned();
    expect(await replica.one(image)).toMatchObject({ why: 'other-digest' });
    expect(await another().remember(image)).toMatchObject({ kind: 'untrusted' });
  });

  it("namespace's root is no other namespace's", async () => {
    const { replica, another, image, world, evil } = await poisoned();
    await world.sign(gun, { '1.0': evil }, { server: evilServer, owner: await rootSigner(gun) });
    expect(await replica.one(image, ofUser('team-b'))).toMatchObject({ kind: 'trusted' });
    const team = ofUser('team-c');
    expect(await another().remember(image, team)).toMatchObject({ why: 'not-verified' });
  });

  it('tag or repository is nothing that another may be run as', async () => {
    const { replica, digest } = await signedStage();
    await replica.one(`${gun}:1.0`);
    for (const image of [`${gun}:2.0@${digest}`, `registry.example/b/evil@${digest}`]) {
      expect(await replica.remember(image)).toMatchObject({ why: 'not-verified' });
      expect(await replica.one(image)).toMatchObject({ why: 'not-signed' });
    }
  });

  it('configuration is forgotten with it: fewer roles, other pins', async () => {
    const { replica, digest } = await signedStage();
    const image = `${gun}:1.0@${digest}`;
    await replica.one(image);
    const releases = { ...verifier, roles: ['targets/releases'] } as typeof verifier;
    const narrower = { rules: { ...rules, verifiers: [releases] } as typeof rules };
    expect(await replica.remember(image, narrower)).toMatchObject({ why: 'not-verified' });
    expect(await replica.one(image, narrower)).toMatchObject({ kind: 'untrusted' });
  });

  it('pod among many is not mixed up with another', async () => {
    const { replica, world } = await signedStage();
    const tags = Array.from({ length: 40 }, (_, at) => `t${at}`);
    const digests = new Map(tags.map((tag) => [tag, world.push(`${gun}:${tag}`, tag)]));
    // Every other one is signed with the digest of its neighbour.
    const signed = tags.map((tag, at) => [
      tag,
      digests.get(tags[at % 2 === 0 ? at : at - 1] ?? ''),
    ]);
    await world.sign(gun, Object.fromEntries(signed));
    world.delay.ms = 1;
    const judged = await Promise.all(
      [...tags, ...tags, ...tags].map((tag) => replica.one(`${gun}:${tag}@${digests.get(tag)}`)),
    );
    judged.forEach((judgement, at) => {
      const isSigned = at % 2 === 0;
      expect(judgement.kind).toBe(isSigned ? 'trusted' : 'untrusted');
      if (judgement.kind === 'trusted') {
        expect(judgement.digest).toBe(digests.get(tags[at % 40] ?? ''));
      }
    });
  });
});

describe('a registry that lets nobody look', () => {
  const closed = ({ url }: { readonly url: string }) =>
    url.startsWith('https://registry.example') ? answer(403) : undefined;

  it('keeps a signed digest from nothing', async () => {
    const { replica, world, digest } = await signedStage();
    world.instead.rule = closed;
    expect(await replica.one(`${gun}:1.0@${digest}`)).toMatchObject({ kind: 'trusted' });
  });

  it('counts nothing against an image that it did not show', async () => {
    const { replica, world } = await signedStage();
    const { manifest, config } = makeImage('old');
    const image = `${gun}:old@${world.put(`${gun}:old`, manifest, config)}`;
    await world.sign(gun, { old: config.digest });
    world.instead.rule = closed;
    expect(await replica.one(image)).toMatchObject({ why: 'other-digest' });
    world.instead.rule = undefined;
    expect(await replica.one(image)).toMatchObject({ kind: 'trusted' });
  });

  it('has a tag refused, and not for a moment longer than it does', async () => {
    const { replica, world } = await signedStage();
    world.instead.rule = closed;
    expect(await replica.one(`${gun}:1.0`)).toMatchObject({
      kind: 'untrusted',
      why: 'registry-refused',
    });
    world.instead.rule = undefined;
    expect(await replica.one(`${gun}:1.0`)).toMatchObject({ kind: 'trusted' });
  });
});
