import { describe, expect, it } from 'vitest';
import { refused, unavailable } from '#shared/domain/outside.ts';
import { keySigner } from '#test/support/cosign/signing.ts';
import { byCosign } from '#test/support/image-trust/guarded.ts';
import { rules, type Stage, stage } from '#test/support/image-trust/judging.ts';
import { notary } from '#test/support/image-trust/trust-world.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import { answer, type Rule } from '#test/support/tuf/notary-server.ts';
import { rootSigner } from '#test/support/tuf/scene.ts';

const gun = 'registry.example/team/app';
const { digest } = makeImage('good').manifest;
const { pem } = keySigner();
const unsigned = { kind: 'untrusted', why: 'not-signed' };
const outage = { kind: 'unavailable' };

const ofRegistry = (rule: Rule): Rule => {
  return (request) => (request.url.startsWith(notary) ? undefined : rule(request));
};
const gone = ofRegistry(() => unavailable('no-connection', 'nobody'));

async function signed(stated: Parameters<typeof stage>[0] = {}): Promise<Stage> {
  const made = stage(stated);
  await made.world.sign(gun, { '1.0': digest });
  return made;
}

/** Whoever runs it may let nodes in, and not us. */
describe('a registry that keeps away from us', () => {
  it.each([
    ['is gone', gone],
    ['fails', ofRegistry(() => answer(503))],
    ['is too busy', ofRegistry(() => answer(429))],
    ['is at an address of the node', ofRegistry(() => refused('address', '127.0.0.1'))],
    ['leads around for ever', ofRegistry(() => refused('redirect', 'more than 5'))],
  ])('and %s lets nothing through that its Notary knows not to be signed', async (_, rule) => {
    const { world, replica } = await signed();
    world.instead.rule = rule;
    const { one } = replica();
    const others = [`${gun}:2.0`, `${gun}:2.0@${digest}`, 'evil.test/app:1.0', 'evil.test/app'];
    for (const each of others) expect(await one(each)).toMatchObject(unsigned);
    expect(await one(`evil.test/app@${digest}`)).toMatchObject(unsigned);
    for (const each of [`${gun}:1.0`, `${gun}:1.0@${digest}`, `${gun}@${digest}`]) {
      expect(await one(each)).toMatchObject(outage);
    }
  });

  it('and says nothing leaves the time to hear that, however little there is', async () => {
    const { world, replica } = await signed();
    const { outside } = world;
    const read: typeof outside.read = (request) =>
      request.url.startsWith(notary) ? outside.read(request) : new Promise(() => undefined);
    Object.assign(world, { outside: { ...outside, read } });
    const { one } = replica();
    const asked = { withinMs: 300 };
    expect(await one('evil.test/app:1.0', asked)).toMatchObject(unsigned);
    expect(await one(`${gun}:1.0`, asked)).toMatchObject({ ...outage, why: 'too-slow' });
  });

  it('is an outage while the Notary is away as well', async () => {
    const { world, replica } = await signed();
    world.instead.rule = () => unavailable('no-connection', 'nobody');
    expect(await replica().one('evil.test/app:1.0')).toMatchObject({ ...outage, why: 'registry' });
  });

  it('has its Notary asked once for a while, by all replicas', async () => {
    const { world, clock, replica } = await signed();
    world.instead.rule = gone;
    const replicas = [replica(), replica()];
    for (const { one } of [...replicas, ...replicas]) {
      expect(await one(`${gun}:2.0`)).toMatchObject(unsigned);
    }
    expect(world.timestamps()).toBe(1);
    clock.advanceMs(60_000);
    expect(await replicas[0]?.one(`${gun}:2.0`)).toMatchObject(unsigned);
    expect(world.timestamps()).toBe(2);
  });

  it('hides nothing of what it shows again', async () => {
    const { world, replica } = await signed();
    const { one } = replica();
    world.instead.rule = gone;
    expect(await one(`${gun}:1.0`)).toMatchObject(outage);
    expect(await one(`${gun}:2.0`)).toMatchObject(unsigned);
    world.instead.rule = undefined;
    world.push(`${gun}:1.0`, 'good');
    expect(await one(`${gun}:1.0`)).toMatchObject({ kind: 'trusted', digest });
  });

  it('leaves a first use by a dry run unkept', async () => {
    const { world, replica } = await signed();
    world.instead.rule = gone;
    const { one } = replica();
    expect(await one(`${gun}:2.0`, { isDryRun: true })).toMatchObject(unsigned);
    await world.sign(gun, { '2.0': digest }, { owner: await rootSigner(gun) });
    expect(await one(`${gun}:2.0`)).toMatchObject(outage);
  });

  it.each([
    ['for whose images an authority answers', ['evil.test'], outage],
    ['for whose images nobody answers', ['registry.example'], unsigned],
    ['for whose images, as for all, an authority answers', [], outage],
  ])('has %s, where cosign is asked', async (_, prefixes, judged) => {
    const authorities = [{ name: 'team', keys: [pem], prefixes }];
    const { world, replica } = await signed({ imageTrust: { cosign: { authorities } } } as object);
    world.instead.rule = gone;
    expect(await replica().one('evil.test/app:1.0', { rules: byCosign })).toMatchObject(judged);
  });

  it.each([
    ['either', outage],
    ['all', unsigned],
  ] as const)('is an outage where %s of Notary and cosign counts: %o', async (need, judged) => {
    const authorities = [{ name: 'team', keys: [pem] }];
    const { world, replica } = await signed({ imageTrust: { cosign: { authorities } } } as object);
    world.instead.rule = gone;
    const verifiers = [...rules.verifiers, ...byCosign.verifiers] as never;
    const both = { ...rules, verifiers, need };
    expect(await replica().one('evil.test/app:1.0', { rules: both })).toMatchObject(judged);
  });
});
