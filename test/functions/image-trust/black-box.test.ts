import { describe, expect, it } from 'vitest';
import { settled } from '#shared/domain/image-trust/settled.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { done } from '#shared/domain/outcome.ts';
import { unavailable } from '#shared/domain/outside.ts';
import type { ImageJudge } from '#shared/ports.ts';
import { cases, unnumbered } from '#test/fixtures/warden/cases.ts';
import { podWith } from '#test/support/admission.ts';
import { good } from '#test/support/image-trust/judge-stated.ts';
import { rules, stage } from '#test/support/image-trust/judging.ts';
import { answered } from '#test/support/image-trust/requiring.ts';
import { notary } from '#test/support/image-trust/trust-world.ts';
import {
  admitted,
  invalid,
  marked,
  rejecting,
  signed,
  status,
} from '#test/support/image-trust/verifying.ts';
import { makeImage, makeIndex } from '#test/support/registry/pushed-image.ts';
import { testFiles, titlesIn } from '#test/support/titles.ts';
import { answer } from '#test/support/tuf/notary-server.ts';

const gun = 'europe-docker.pkg.dev/kyma-project/prod/app';

describe('of the cases of Warden’s specification', () => {
  it('each is a test', () => {
    const titles = testFiles().flatMap((file) => [...titlesIn(file)]);
    const named = new Set(titles.flatMap((title) => title.match(/\b[TX]-[A-Z]\d+\b/g) ?? []));
    expect(cases.filter((id) => !named.has(id))).toEqual([]);
    expect([...named].filter((id) => !cases.includes(id))).toEqual([]);
  });

  it.each(unnumbered)('%s is a test', (_, file, title) => {
    expect(titlesIn(file)).toContain(title);
  });
});

describe('an image', () => {
  const signedAs = async (tag: string, digest: string) => {
    const made = stage();
    await made.world.sign(gun, { [tag]: digest });
    return { ...made, judge: () => made.replica().one(`${gun}:${tag}`) };
  };

  it('T-I1 is trusted by its manifest’s digest', async () => {
    const { manifest } = makeImage('v1');
    const { world, judge } = await signedAs('v1', manifest.digest);
    world.put(`${gun}:v1`, manifest);
    expect(await judge()).toMatchObject({ kind: 'trusted', digest: manifest.digest });
  });

  it('T-I2 is trusted by its configuration’s digest, which is told', async () => {
    const { manifest, config } = makeImage('v2');
    const { world, judge } = await signedAs('v2', config.digest);
    world.put(`${gun}:v2`, manifest, config);
    const remarks = expect.arrayContaining(['config-digest']);
    expect(await judge()).toMatchObject({ kind: 'trusted', digest: manifest.digest, remarks });
  });

  it('T-I3 that is a list is trusted by the list’s digest', async () => {
    const list = makeIndex(makeImage('child').manifest);
    const { world, judge } = await signedAs('1.22', list.digest);
    world.put(`${gun}:1.22`, list);
    expect(await judge()).toMatchObject({ kind: 'trusted', digest: list.digest });
  });

  it('T-I4 that is a list is not trusted by the digest of one of its images', async () => {
    const { manifest } = makeImage('child');
    const { world, judge } = await signedAs('3.20', manifest.digest);
    world.put(`${gun}:3.20`, makeIndex(manifest));
    expect(await judge()).toMatchObject({ kind: 'untrusted', why: 'other-digest' });
  });

  it('T-I5 is not trusted by a hash that is too short for one', async () => {
    const { world, judge } = await signedAs('latest', 'sha256:01020304');
    world.push(`${gun}:latest`, 'nginx');
    expect((await judge()).kind).toBe('untrusted');
  });

  it('T-I6 of whose name nothing is signed is not trusted', async () => {
    const { world, replica } = stage();
    world.push(`${gun}:1`, 'app');
    expect(await replica().one(`${gun}:1`)).toMatchObject({ why: 'not-signed' });
  });

  it('T-I7 that its registry does not know is not trusted, signed or not', async () => {
    const { judge } = await signedAs('1', makeImage('app').manifest.digest);
    expect((await judge()).kind).toBe('untrusted');
  });

  it.each([
    ['T-I8 the Notary is nowhere', notary, { why: 'notary' }],
    ['T-I9 the registry is nowhere', 'https://europe-docker', { why: 'registry' }],
  ])('is unavailable where %s', async (_, begins, expected) => {
    const { world, judge } = await signedAs('1', makeImage('app').manifest.digest);
    world.push(`${gun}:1`, 'app');
    world.instead.rule = ({ url }) =>
      url.startsWith(begins) ? unavailable('no-connection', 'no such host') : undefined;
    expect(await judge()).toMatchObject({ kind: 'unavailable', ...expected });
  });

  it('T-I10 is not asked about with a greeting: only files of its name are', async () => {
    const { world, judge } = await signedAs('1', makeImage('app').manifest.digest);
    world.push(`${gun}:1`, 'app');
    world.instead.rule = ({ url }) => (url.endsWith('/v2/') ? answer(404) : undefined);
    expect(await judge()).toMatchObject({ kind: 'trusted' });
    expect(world.visits.filter(({ url }) => url.endsWith('/v2/'))).toEqual([]);
  });

  it('T-I11 T-M4 is unavailable where the Notary hangs, when the time is over', async () => {
    const { world, replica } = await signedAs('1', makeImage('app').manifest.digest);
    const image = `${gun}:1@${world.push(`${gun}:1`, 'app')}`;
    world.delay.ms = 60_000;
    const judged = replica().one(image, { rules: { ...rules, timeoutMs: 100 } });
    expect(await judged).toMatchObject({ kind: 'unavailable', why: 'too-slow' });
  });

  it.each([
    [':', 'bad-reference'],
    ['repo.com:123/image-name:tag:hash', 'bad-reference'],
    ['makapaka', 'not-signed'],
    ['makapaka:latest', 'not-signed'],
    ['domain.com/makapaka', 'not-signed'],
  ])('T-I12 is read as the kubelet reads it, and not trusted: %s', async (image, why) => {
    const { world, replica } = stage();
    world.push('docker.io/library/makapaka:latest', 'makapaka');
    world.push('domain.com/makapaka:latest', 'makapaka');
    world.instead.rule = ({ url }) =>
      url.includes('/manifests/') ? answer(200, { 'content-type': type }, bytes) : undefined;
    expect(await replica().one(image)).toMatchObject({ kind: 'untrusted', why });
  });
  const { bytes, mediaType: type } = makeImage('makapaka').manifest;

  it.each([
    ['some-registry.io/image', 'some-registry.io/image:1', 'allowed'],
    ['some-registry.io/allowed', 'some-registry.io/allowed/image:1', 'allowed'],
    ['some-registry.io/allowed-', 'some-registry.io/allowed-image:1', 'untrusted'],
    ['a.io, b.io, some-registry.io', 'some-registry.io/image:1', 'allowed'],
    ['nginx', 'nginx', 'allowed'],
    ['a.io/name', `a.io/name:tag@sha256:${'a'.repeat(64)}`, 'allowed'],
  ])('T-I13 is allowed by %j: %s is %s', async (listed, image, kind) => {
    const { world, replica } = stage();
    world.push(image.replace(/@.*/, ''), 'image');
    const allowed = listed.split(', ');
    const judged = await replica().one(image, { rules: { ...rules, allowed } });
    expect(judged.kind).toBe(kind);
    if (kind === 'allowed') expect(world.visits).toEqual([]);
  });
});

const containers = (...images: readonly string[]) =>
  images.map((image, index) => ({ name: `c${index}`, image }));
const podOf = (spec: JsonObject) => ({ ...podWith(), spec });
const one = 'a.io/web:1';
const [bad, worse] = ['b.io/bad:1', 'b.io/worse:1'];

describe('a recheck', () => {
  const conflict = { kind: 'conflict', why: 'somebody wrote first' } as const;
  const busy = { kind: 'busy', why: 'too many requests' } as const;
  it.each([
    ['that somebody was faster with runs again', conflict, conflict],
    ['that the server puts off runs again', busy, { kind: 'retry', why: busy.why }],
    ['of a pod that went meanwhile is done', { kind: 'not-found' } as const, done],
    ['that was written is done', { kind: 'written' } as const, done],
  ])('T-C3 %s', (_, write, expected) => {
    expect(settled(write, done)).toEqual(expected);
  });
});

describe('a pod', () => {
  it('T-M1 whose images are verified in time is marked, and nothing else is said', async () => {
    const slow = { ...signed() };
    const judge: ImageJudge = {
      ...slow,
      judge: (...asked) =>
        new Promise((resolve) => setTimeout(() => resolve(slow.judge(...asked)), 20)),
    };
    const settings = { admission: { timeout: '2s' } };
    const { metadata, answer } = await marked({ judge: judge as typeof slow, settings });
    expect(metadata).toMatchObject({ labels: { [status]: 'success' } });
    expect(answer).toMatchObject({ allowed: true, message: '', warnings: [] });
  });

  it('T-P takes the namespace that is asked about, whatever the pod says of its own', async () => {
    for (const [namespace, own] of [
      ['enabled', 'plain'],
      ['enabled', 'kube-system'],
      ['enabled', ''],
    ] as const) {
      const object = { ...podWith(bad), metadata: { name: 'web', namespace: own } };
      expect((await marked({ namespace, object })).metadata).toMatchObject({
        labels: { [status]: 'failed' },
      });
      expect(await answered({ namespace, object })).toMatchObject({ allowed: false });
    }
    const elsewhere = { ...podWith(bad), metadata: { name: 'web', namespace: 'enabled' } };
    expect(await admitted({ namespace: 'plain', object: elsewhere })).toMatchObject({
      operations: [],
    });
  });

  it.each<[string, JsonObject, string | undefined, string | undefined]>([
    ['no container, which nothing speaks against', { containers: [] }, undefined, undefined],
    ['no list of them, which nothing speaks against', {}, undefined, undefined],
    ['one valid', { containers: containers(one) }, 'success', undefined],
    ['two valid', { containers: containers(one, 'a.io/side:2') }, 'success', undefined],
    ['one invalid', { containers: containers(bad) }, 'failed', bad],
    ['two invalid', { containers: containers(worse, bad) }, 'failed', `${bad}, ${worse}`],
    ['valid and invalid', { containers: containers(one, bad) }, 'failed', bad],
    [
      'one thrice, and an invalid one',
      { containers: containers(one, one, one, bad) },
      'failed',
      bad,
    ],
    [
      'the same in init and main',
      { initContainers: containers(one), containers: containers(one) },
      'success',
      undefined,
    ],
    [
      'an invalid init image',
      { initContainers: containers(bad), containers: containers(one) },
      'failed',
      bad,
    ],
  ])('T-P finds %s', async (_, spec, expected, listed) => {
    const { metadata } = await marked({ object: podOf(spec) });
    const marks = metadata as unknown as {
      readonly labels?: JsonObject;
      readonly annotations?: JsonObject;
    };
    expect(marks.labels?.[status]).toBe(expected);
    expect(marks.annotations?.[invalid]).toBe(listed);
    expect(marks.annotations?.[rejecting]).toBe(listed === undefined ? undefined : 'reject');
  });

  it('T-P finds one unavailable, and lists it', async () => {
    const judge = signed();
    judge.away.add(one);
    expect((await marked({ judge })).metadata).toMatchObject({
      labels: { [status]: 'pending' },
      annotations: { [invalid]: one },
    });
  });

  it('T-V5 that is none is not for the validator, and a pod in its clothes is', async () => {
    const object = { ...podWith(`${bad}@${good}`), kind: 'Deployment' };
    expect(await answered({ object, resource: 'deployments' })).toMatchObject({ allowed: true });
    expect(await answered({ object })).toMatchObject({ allowed: false });
  });
});
