import { describe, expect, it } from 'vitest';
import { secrets } from '#shared/domain/kind.ts';
import { rules, stage } from '#test/support/image-trust/judging.ts';
import { notary } from '#test/support/image-trust/trust-world.ts';
import { basicFor } from '#test/support/registry/memory-registry.ts';
import { answer } from '#test/support/tuf/notary-server.ts';

const gun = 'registry.example/team/app';
const image = `${gun}:1.0`;
const others = 'https://notary.else.example';
const wanted = basicFor('platform', 'pass:wörd');

/** Both Notaries want the same login; the Secret holds it for whom it says. */
async function open(place: string, namespace = 'gatehouse-system') {
  const made = stage({ imageTrust: { notary: { secret: 'notary-login' } } });
  const auths = { [place]: { username: 'platform', password: 'pass:wörd' } };
  const data = { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') };
  const metadata = { namespace, name: 'notary-login' };
  await made.cluster.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data });
  const digest = made.world.push(image, 'good');
  for (const server of [notary, others]) await made.world.sign(gun, { '1.0': digest }, { server });
  made.world.instead.rule = ({ url, authorization }) =>
    url.includes('/_trust/') && authorization !== wanted
      ? answer(401, { 'www-authenticate': 'Basic realm="n"' })
      : undefined;
  return { ...made, judge: made.replica() };
}

const refused = { kind: 'untrusted', why: 'notary-refused' };

describe('a Notary that wants a login', () => {
  it('is shown the one that the Secret of the installation holds for it', async () => {
    const { judge, world } = await open('notary.example');
    expect(await judge.one(image)).toMatchObject({ kind: 'trusted' });
    const shown = world.visits.filter(({ authorization }) => authorization !== undefined);
    expect(new Set(shown.map(({ url }) => new URL(url).host))).toEqual(new Set(['notary.example']));
  });

  it.each<[string, string, string]>([
    ['of another host', 'notary.else.example', 'gatehouse-system'],
    ['of another port', 'notary.example:8443', 'gatehouse-system'],
    ['of another namespace', 'notary.example', 'team-a'],
  ])('is not shown one %s', async (_, place, namespace) => {
    const { judge, world } = await open(place, namespace);
    expect(await judge.one(image)).toMatchObject(refused);
    expect(world.visits.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  });

  it.each([others, notary])(
    'is not shown the platform’s when a namespace names %s',
    async (url) => {
      const { judge, world } = await open(new URL(url).host);
      const verifiers = [{ ...rules.verifiers[0], url, reach: 'public' }] as const;
      const asked = { ...rules, verifiers, owner: { namespace: 'team-a' } };
      expect(await judge.one(image, { rules: asked })).toMatchObject(refused);
      expect(world.visits.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
    },
  );

  it('learns of a new password within seconds, and tells nobody', async () => {
    const { judge, clock, cluster, world } = await open('notary.else.example');
    const said = [await judge.one(image)];
    const target = { kind: secrets, namespace: 'gatehouse-system', name: 'notary-login' };
    const auths = { 'https://notary.example/': { username: 'platform', password: 'pass:wörd' } };
    const text = Buffer.from(JSON.stringify({ auths })).toString('base64');
    const body = { data: { '.dockerconfigjson': text } };
    await cluster.patch(target, { type: 'merge', body });
    clock.advanceMs(11_000);
    said.push(await judge.one(image));
    expect(said).toMatchObject([refused, { kind: 'trusted' }]);
    expect(JSON.stringify(said)).not.toMatch(/pass|platform|Basic/);
    expect(JSON.stringify(world.visits.map(({ url }) => url))).not.toMatch(/pass|platform/);
  });

  it('is away while nobody can read its login, and no longer', async () => {
    const { judge, clock, cluster } = await open('notary.example');
    const find = cluster.find.bind(cluster);
    Object.assign(cluster, { find: () => Promise.reject(new Error('busy')) });
    expect(await judge.one(image)).toMatchObject({ kind: 'unavailable', why: 'notary' });
    Object.assign(cluster, { find });
    clock.advanceMs(5_000);
    expect(await judge.one(image)).toMatchObject({ kind: 'trusted' });
  });
});
