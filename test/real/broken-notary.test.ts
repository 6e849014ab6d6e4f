import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { modeLabel } from '#test/attacks/admit.ts';
import { inTurns, postTo } from '#test/attacks/ask-target.ts';
import type { Breakable } from '#test/support/breakable.ts';
import { certifiedForLoopback } from '#test/support/certified-for-loopback.ts';
import { type Between, proxyTo } from '#test/support/proxy-to.ts';
import {
  type DebianRegistry,
  startDebianRegistry,
} from '#test/support/registry/debian-registry.ts';
import { pushImage } from '#test/support/registry/push.ts';
import { type MadeImage, makeImage } from '#test/support/registry/pushed-image.ts';
import { type Reviewed, type Reviews, type Sort, startReviews } from './broken/reviews.ts';
import { freshNamespace } from './kube/fresh-namespace.ts';
import { freePort } from './kube/program.ts';
import { type Publisher, publisherAt } from './notary/publisher.ts';
import { type RealNotary, startNotary } from './notary/start.ts';
import { notaryStorage } from './notary/storage.ts';
import { type Replicas, startReplicas } from './replicas/start.ts';

/** What the functions have, and a little for a machine that has other things to do. */
const deadlinesMs = { mutate: 4_500, validate: 2_500 };
const backWithinMs = 5_000;
const perSecond = 15;
const known = 4;
const fresh = 50;
const repository = 'team/app';

const { kubeconfig } = inject('kube');
const cluster = await openCluster({ login: { kind: 'kubeconfig', path: kubeconfig } });
const certified = await certifiedForLoopback();
let notary: RealNotary;
let registry: DebianRegistry;
let replicas: Replicas;
let toPostgres: Between;
let publisher: Publisher;
let reviews: Reviews;
let signed: readonly MadeImage[];
const evil = makeImage('evil');
const turn = { fresh: known };

/** All signed by Debian's own client, in one publication. */
async function sign(gun: string, images: readonly MadeImage[]): Promise<void> {
  publisher = publisherAt(notary);
  await publisher.notary('init', gun, '-p');
  for (const [index, image] of images.entries()) await add(gun, `t${index}`, image);
  await publisher.notary('publish', gun);
}

async function add(gun: string, tag: string, { manifest }: MadeImage): Promise<void> {
  const { digest, bytes } = manifest;
  const hash = ['--sha256', digest.slice('sha256:'.length)];
  await publisher.notary('addhash', gun, tag, String(bytes.length), ...hash);
}

/** By tag and digest, by digest alone or by tag alone, as people do. */
function reference(index: number, form: number): string {
  const digest = signed[index]?.manifest.digest ?? '';
  const place = `${registry.host}/${repository}`;
  return (
    [`${place}:t${index}@${digest}`, `${place}@${digest}`, `${place}:t${index}`][form % 3] ?? ''
  );
}

function evilReference(count: number): string {
  const place = `${registry.host}/${repository}`;
  const { digest } = evil.manifest;
  return [`${place}:evil-${count}`, `${place}:t0@${digest}`, `${place}@${digest}`][count % 3] ?? '';
}

/** One that nobody has asked for. */
function nextFresh(): string {
  turn.fresh += 1;
  return reference(Math.min(turn.fresh, signed.length - 1), 0);
}

function next(count: number): readonly [Sort, string] {
  if (count % 5 === 3) return ['evil', evilReference(count)];
  return ['known', reference(count % known, count)];
}

beforeAll(async () => {
  notary = await startNotary(await notaryStorage());
  registry = await startDebianRegistry({ kind: 'none' });
  const { host, ca } = registry;
  signed = Array.from({ length: known + fresh }, (_, index) => makeImage(`signed ${index}`));
  const push = (image: MadeImage, tag: string) => pushImage({ host, ca, repository }, image, tag);
  for (const [index, image] of signed.entries()) await push(image, `t${index}`);
  await push(evil, 'evil');
  await sign(`${host}/${repository}`, signed);

  const here = { plainHttp: false, addresses: ['127.0.0.0/8', '::1/128'] };
  const notaryCa = readFileSync(notary.caPath, 'utf8');
  const ports = [await freePort(), await freePort()];
  replicas = await startReplicas({
    ...{ kubeconfig, certified, ports },
    way: async (url) => {
      toPostgres = await proxyTo(url);
      return toPostgres;
    },
    settings: {
      capabilities: ['image-trust'],
      imageTrust: {
        hosts: [
          { host: new URL(notary.url).host, ca: notaryCa, ...here },
          { host, ca, ...here },
        ],
        notary: { URL: notary.url },
        // All that is known grows old while something is broken.
        lifetimes: { fresh: '1s', untrusted: '500ms', unavailable: '1s', tags: '500ms' },
      },
    },
  });
  const labels = { [modeLabel]: 'system' };
  const name = await freshNamespace(cluster, labels);
  const { ca: trusted } = certified;
  const servername = undefined;
  const posts = ports.map((port) =>
    postTo({ url: `https://localhost:${port}`, ca: trusted, servername }),
  );
  reviews = startReviews({
    post: inTurns(posts),
    namespace: { name, labels, annotations: {} },
    ...{ perSecond, next },
  });
  // From here on all that is known is known.
  await vi.waitFor(allKnown, { timeout: 20_000, interval: 200 });
  await pause(1_000);
  reviews.forget();
}, 120_000);

async function allKnown(): Promise<void> {
  for (let index = 0; index < known * 3; index += 1) {
    expect(await reviews.ask('known', reference(index % known, index))).toMatchObject({
      admitted: true,
    });
  }
}

afterAll(async () => {
  await reviews?.stop();
  await replicas?.stop();
  toPostgres?.close();
  await registry?.stop();
  await notary?.stop();
  certified.remove();
  cluster.close();
});

/** What is new is asked for now and then: whether it comes in shows whether all is well. */
async function broken(what: string, forMs: number): Promise<readonly Reviewed[]> {
  reviews.during = what;
  const asked: Promise<Reviewed>[] = [];
  for (const end = performance.now() + forMs; performance.now() < end; await pause(500)) {
    asked.push(reviews.ask('new', nextFresh()));
  }
  return Promise.all(asked);
}

async function wellWithin(ms: number): Promise<void> {
  reviews.during = 'nothing';
  const end = performance.now() + ms;
  const answer = async () => reviews.ask('new', nextFresh());
  for (let last = await answer(); !last.admitted; last = await answer()) {
    expect(performance.now(), last.said).toBeLessThan(end);
    await pause(100);
  }
}

describe('reviews that go on while', () => {
  it.each<[string, () => Breakable, 'killed' | 'frozen', number]>([
    ['the Notary is killed', () => notary.server, 'killed', 2_500],
    ['the Notary does not answer', () => notary.server, 'frozen', 4_500],
    ['the registry is killed', () => registry.server, 'killed', 2_500],
    ['the registry does not answer', () => registry.server, 'frozen', 4_500],
  ])(
    '%s, and it is back',
    async (what, server, how, forMs) => {
      if (how === 'killed') await server().kill();
      else server().freeze();
      const asked = await broken(what, forMs);
      if (how === 'killed') await server().start();
      else server().thaw();
      // Nobody can say of them that they are good.
      expect(asked.filter(({ admitted }) => admitted).map(({ image }) => image)).toEqual([]);
      await wellWithin(backWithinMs);
    },
    30_000,
  );

  it('Postgres is away, and it is back', async () => {
    toPostgres.cut();
    await broken('Postgres is away', 2_500);
    toPostgres.mend();
    await wellWithin(backWithinMs);
  }, 30_000);

  it('the signer is killed under a publication, which comes through when it is back', async () => {
    const gun = `${registry.host}/${repository}`;
    const { host, ca } = registry;
    const late = makeImage('late');
    await pushImage({ host, ca, repository }, late, 'late');
    const image = `${gun}:late`;
    await notary.signer.kill();
    await add(gun, 'late', late);
    const published = () => publisher.notary('publish', gun);
    await expect(published()).rejects.toThrow();
    await broken('the signer is killed', 2_500);
    expect(await reviews.ask('new', image)).toMatchObject({ admitted: false });

    await notary.signer.start();
    await vi.waitFor(published, { timeout: 10_000, interval: 500 });
    const isIn = async () =>
      expect(await reviews.ask('new', image)).toMatchObject({ admitted: true });
    await vi.waitFor(isIn, { timeout: 10_000, interval: 200 });
    await wellWithin(backWithinMs);
  }, 40_000);

  it('admit nothing that is not verified, start what is, and are answered in time', async () => {
    await reviews.stop();
    const { done } = reviews;
    const told = ({ sort, image, said, during, slowestMs }: Reviewed) =>
      `${during}: ${sort} ${image}: ${said} (${JSON.stringify(slowestMs)})`;
    const of = (sort: Sort) => done.filter((each) => each.sort === sort);
    expect(
      of('evil')
        .filter(({ admitted }) => admitted)
        .map(told),
    ).toEqual([]);
    expect(
      of('known')
        .filter(({ admitted }) => !admitted)
        .map(told),
    ).toEqual([]);
    const late = done.filter(
      ({ slowestMs: { mutate, validate } }) =>
        mutate > deadlinesMs.mutate || validate > deadlinesMs.validate,
    );
    expect(late.map(told)).toEqual([]);
    expect(of('evil').length).toBeGreaterThan(20);
    expect(of('known').length).toBeGreaterThan(100);
  });
});
