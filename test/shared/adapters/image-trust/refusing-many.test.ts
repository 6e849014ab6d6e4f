import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { signatureTag } from '#shared/domain/image-trust/cosign/layout.ts';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import { secrets } from '#shared/domain/kind.ts';
import type { OutsideRequest } from '#shared/domain/outside.ts';
import { keySigner, layerBy, payloadOf, signatureManifest } from '#test/support/cosign/signing.ts';
import { rules, stage } from '#test/support/image-trust/judging.ts';
import type { TrustWorld } from '#test/support/image-trust/trust-world.ts';
import { basicFor } from '#test/support/registry/memory-registry.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import { answer } from '#test/support/tuf/notary-server.ts';

const gun = 'registry.example/team/app';
const byCosign: TrustRules = { ...rules, verifiers: [{ kind: 'cosign', authorities: [] }] };

const asking = (namespace: string, serviceAccount = 'default') => ({
  rules: byCosign,
  pod: { namespace, serviceAccount, pullSecrets: ['pull'] },
});
const rich = asking('team-a');

function loginOf(namespace: string, username: string) {
  const auths = { 'registry.example': { username, password: 'secret' } };
  const data = { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: 'pull' }, data };
}

/** Only in `team-a` a Secret opens the registry. What the image is, is known; who has signed it, is not. */
async function guarded(config = {}) {
  const signer = keySigner();
  const authorities = [{ name: 'team', keys: [signer.pem] }];
  const imageTrust = { cosign: { authorities } };
  const { world, cluster, clock, replica } = stage({ imageTrust, ...config } as object);
  await cluster.create(secrets, loginOf('team-a', 'ann'));
  await cluster.create(secrets, loginOf('evil', 'eve'));
  const { manifest } = makeImage('good');
  const image = `${gun}:1.0@${world.put(`${gun}:1.0`, manifest)}`;
  const layer = layerBy(signer, payloadOf({ digest: manifest.digest, reference: gun }));
  const signatures = `${gun}:${signatureTag(manifest.digest)}`;
  world.put(signatures, signatureManifest([layer]), layer.content);
  const wanted = basicFor('ann', 'secret');
  world.instead.rule = ({ authorization }) =>
    authorization === wanted ? undefined : answer(401, { 'www-authenticate': 'Basic realm="r"' });
  const one = replica();
  await one.one(image, { ...rich, rules });
  return { world, clock, one, image, asked: asked(world) };
}

/** How many of a kind were under way together, at most. */
function asked({ outside }: TrustWorld) {
  const { read } = outside;
  const counted = { now: 0, most: 0 };
  Object.assign(outside, {
    read: async (request: OutsideRequest) => {
      counted.now += 1;
      counted.most = Math.max(counted.most, counted.now);
      return read(request).finally(() => {
        counted.now -= 1;
      });
    },
  });
  return counted;
}

it('who may see an image does not wait for the refusals of all others who ask', async () => {
  const { world, one, image } = await guarded();
  world.delay.ms = 200;
  const before = world.visits.length;
  const others = Array.from({ length: 40 }, (_, at) => one.one(image, asking(`evil-${at}`)));
  await expect.poll(() => world.visits.length, { interval: 1 }).toBeGreaterThan(before);
  // One after the other they take longer than anybody waits.
  expect(await one.one(image, rich)).toMatchObject({ kind: 'trusted', remarks: [] });
  for (const other of await Promise.all(others)) expect(other.kind).not.toBe('unavailable');
});

describe('a namespace with any number of accounts that are refused', () => {
  const accounts = Array.from({ length: 40 }, (_, at) => asking('evil', `account-${at}`));

  it('has a few asked for at a time, the others after them', async () => {
    const { world, one, image, asked } = await guarded();
    world.delay.ms = 20;
    const some = accounts.slice(0, 15);
    const judged = await Promise.all(some.map((each) => one.one(image, each)));
    expect(judged.map(({ kind }) => kind)).toEqual(some.map(() => 'untrusted'));
    // Three, and the one that was asked for all.
    expect(asked.most).toBeLessThanOrEqual(4);
    expect(asked.most).toBeGreaterThan(1);
  });

  it('has those told that nobody was asked who had to wait for longer than an admission may take', async () => {
    const { world, one, image } = await guarded({ server: { timeoutSeconds: 1 } });
    world.delay.ms = 400;
    const before = world.visits.length;
    const judged = await Promise.all(accounts.map((each) => one.one(image, each)));
    const away = judged.filter(({ kind }) => kind === 'unavailable');
    expect(away).toMatchObject(away.map(() => ({ why: 'not-verified' })));
    expect(away.length).toBeGreaterThan(accounts.length / 2);
    // Of each who is asked for there are two.
    await sleep(300);
    expect(world.visits.length - before).toBeLessThan(accounts.length);
  });

  it('has those told the same whose own time is over before', async () => {
    const { world, one, image } = await guarded();
    world.delay.ms = 50;
    const many = Array.from({ length: 100 }, (_, at) => asking('evil', `account-${at}`));
    const judged = await Promise.all(
      many.map((each) => one.one(image, { ...each, withinMs: 1_500 })),
    );
    const unasked = judged.filter((each) => 'why' in each && each.why === 'not-verified');
    const late = judged.filter((each) => 'why' in each && each.why === 'too-slow');
    expect(unasked.length).toBeGreaterThan(many.length / 3);
    // Who was asked for at once.
    expect(late.length).toBeLessThanOrEqual(4);
  });

  it('has them all go on by what others were shown lately, whoever was asked for', async () => {
    const { world, clock, one, image } = await guarded({ server: { timeoutSeconds: 1 } });
    expect(await one.one(image, rich)).toMatchObject({ kind: 'trusted', remarks: [] });
    clock.advanceMs(600_000);
    world.delay.ms = 200;
    const judged = await Promise.all(accounts.map((each) => one.one(image, each)));
    const waited = { kind: 'trusted', remarks: ['not-asked-again'] };
    expect(judged).toMatchObject(judged.map(() => waited));
  });

  it('keeps none of them waiting for another registry than the one that hangs', async () => {
    const { world, one, image } = await guarded({ server: { timeoutSeconds: 1 } });
    const { manifest } = makeImage('other');
    const elsewhere = 'other.example/team/app:1.0';
    const other = `${elsewhere}@${world.put(elsewhere, manifest)}`;
    const closed = world.instead.rule;
    world.instead.rule = undefined;
    await one.one(other, { ...rich, rules });
    world.instead.rule = closed;
    world.delay.ms = 50;
    const waiting = accounts.map((each) => one.one(image, { ...each, withinMs: 1_000 }));
    await waiting[0];
    world.delay.ms = 0;
    const { read } = world.outside;
    Object.assign(world.outside, {
      read: (request: OutsideRequest) =>
        request.url.includes('//registry.example/') ? new Promise(() => undefined) : read(request),
    });
    // Until those are in line whom the first one's refusal is told.
    await sleep(200);
    const judged = await Promise.all(accounts.slice(0, 8).map((each) => one.one(other, each)));
    expect(judged).toMatchObject(judged.map(() => ({ why: 'registry-refused' })));
    await Promise.all(waiting);
  });

  it('keeps nobody of another namespace waiting', async () => {
    const { world, one, image } = await guarded();
    world.delay.ms = 150;
    const before = world.visits.length;
    const others = accounts.map((each) => one.one(image, each));
    await expect.poll(() => world.visits.length, { interval: 1 }).toBeGreaterThan(before);
    expect(await one.one(image, rich)).toMatchObject({ kind: 'trusted', remarks: [] });
    await Promise.all(others);
  });
});

it('whose configuration a Notary has signed is asked for beside the others, not after them', async () => {
  const { world, one } = await guarded();
  const { manifest, config } = makeImage('by configuration');
  const image = `${gun}:3.0@${world.put(`${gun}:3.0`, manifest, config)}`;
  await world.sign(gun, { '3.0': config.digest });
  const closed = world.instead.rule;
  world.instead.rule = (asked) => (asked.url.includes('/_trust/') ? undefined : closed?.(asked));
  // What it is made of is known to all.
  await one.one(image, { ...rich, rules: byCosign });
  world.delay.ms = 100;
  // One after the other, each reads the Notary's files and the registry's: longer than anybody waits.
  const judged = await Promise.all(
    Array.from({ length: 30 }, (_, at) => one.one(image, { ...asking(`evil-${at}`), rules })),
  );
  expect(judged).toMatchObject(judged.map(() => ({ why: 'registry-refused' })));
});
