import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import { secrets } from '#shared/domain/kind.ts';
import { imageTrust } from '#shared/runtime/image-trust.ts';
import { rules } from '#test/support/image-trust/judging.ts';
import { basicFor, guarded, memoryRegistry } from '#test/support/registry/memory-registry.ts';
import { loopback, openWorld, type World } from '#test/support/registry/outside-world.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import { makeCa, makeLeaf } from '#test/support/tls.ts';
import { publish } from '#test/support/tuf/publish.ts';
import { plan, rootSigner } from '#test/support/tuf/scene.ts';

let world: World;
beforeAll(() => {
  world = openWorld();
});
afterAll(() => world.close());

/** A Notary and a registry over TLS on loopback, and production's door to them. */
async function open({ isNotaryOpen = true } = {}) {
  const ca = await makeCa();
  const pair = await makeLeaf(ca, 'localhost');
  const image = makeImage('good');
  const held = memoryRegistry();
  held.keep('team/app', image.manifest, '1.0');
  const wanted = basicFor('ann', 'secret');
  const script = guarded(held.script, 'Basic realm="r"', (shown) => shown === wanted);
  const registry = await world.open('localhost', script, pair);
  const gun = `${registry.host}/team/app`;
  const files = publish({
    ...plan,
    root: { signers: [await rootSigner(gun)] },
    signed: { '1.0': image.manifest.digest },
  });
  const tuf: typeof held.script = (request, response) => {
    const file = files.get((request.url ?? '').replace(`/v2/${gun}/_trust/tuf/`, ''));
    if (file === undefined) response.writeHead(404).end();
    else response.end(file);
  };
  const closed = guarded(tuf, 'Basic realm="n"', (shown) => shown === wanted);
  const notary = await world.open('localhost', isNotaryOpen ? tuf : closed, pair);
  const known = { ca: ca.certificate, addresses: [...loopback, '::1/128'], plainHttp: false };
  const hosts = [registry, notary].map(({ host }) => ({ host, ...known }));
  return { gun, image, registry, notary, hosts, pair };
}

type Opened = Awaited<ReturnType<typeof open>>;

type Told = Pick<Opened, 'hosts'> & { readonly userHosts?: readonly string[] };

async function judgeOf({ hosts, userHosts = [] }: Told, secret = '') {
  const cluster = clusterInMemory();
  const auths = { localhost: {}, '*': {} };
  for (const { host } of hosts) {
    Object.assign(auths, { [host]: { username: 'ann', password: 'secret' } });
  }
  const config = Buffer.from(JSON.stringify({ auths })).toString('base64');
  const metadata = { namespace: 'a', name: 'pull' };
  const data = { '.dockerconfigjson': config };
  await cluster.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data });
  return imageTrust({
    settings: settingsFixed({
      imageTrust: { hosts, userHosts: [...userHosts], notary: { secret } },
      installation: { namespace: 'a' },
    }),
    clock: clockAt('2030-01-01T00:00:00Z'),
    cluster,
    bootstrapDocument: { current: async () => undefined },
    store: verdictsInMemory().open(),
  });
}

const pod = { namespace: 'a', serviceAccount: '', pullSecrets: ['pull'] };

describe('a judge over TLS', () => {
  it("trusts what the Notary signed, and shows the registry's password to the registry alone", async () => {
    const opened = await open();
    const judge = await judgeOf(opened);
    const { gun, notary, registry, image } = opened;
    const verifier = { ...rules.verifiers[0], url: `https://${notary.host}` };
    const asked = { rules: { ...rules, verifiers: [verifier] as const }, pod, isDryRun: false };
    const { signal } = new AbortController();
    const [found] = await judge.judge([`${gun}:1.0`], { ...asked, signal });
    expect(found?.judgement).toMatchObject({ kind: 'trusted', digest: image.manifest.digest });
    expect(notary.heard.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
    expect(registry.heard.some(({ authorization }) => authorization !== undefined)).toBe(true);
    judge.close();
  });

  it('shows the Notary the login that the platform has there, where the Notary asks for it', async () => {
    const opened = await open({ isNotaryOpen: false });
    const { gun, notary } = opened;
    const verifier = { ...rules.verifiers[0], url: `https://${notary.host}` };
    const { signal } = new AbortController();
    const asked = { rules: { ...rules, verifiers: [verifier] as const }, pod, isDryRun: false };
    for (const [secret, kind] of [
      ['', 'untrusted'],
      ['pull', 'trusted'],
    ] as const) {
      const judge = await judgeOf(opened, secret);
      const [found] = await judge.judge([`${gun}:1.0`], { ...asked, signal });
      expect(found?.judgement.kind).toBe(kind);
      judge.close();
    }
    const [first, ...others] = notary.heard.slice(1);
    expect(first?.authorization).toBeUndefined();
    expect(new Set(others.map(({ authorization }) => authorization))).toEqual(
      new Set([basicFor('ann', 'secret')]),
    );
  });

  it('does not go to loopback, nor believe an unknown authority, unless it is configured', async () => {
    const opened = await open();
    const url = `https://${opened.notary.host}`;
    const verifier = { ...rules.verifiers[0], url };
    const asked = { rules: { ...rules, verifiers: [verifier] as const }, pod, isDryRun: false };
    const { signal } = new AbortController();
    for (const [hosts, why] of [
      [[], 'not-allowed'],
      [opened.hosts.map(({ ca: _, ...host }) => host), 'registry'],
    ] as const) {
      const judge = await judgeOf({ hosts: hosts as Opened['hosts'] });
      const [found] = await judge.judge([`${opened.gun}:1.0`], { ...asked, signal });
      expect(found?.judgement).toMatchObject({ kind: 'unavailable', why });
      judge.close();
    }
  });

  it.each(['nobody', 'the Notary'] as const)(
    'goes to a private address at the word of a namespace only for whom the operator lets it name: %s',
    async (named) => {
      const { gun, notary, registry, hosts } = await open();
      const isNamed = named === 'the Notary';
      const judge = await judgeOf({
        hosts,
        userHosts: [isNamed ? notary.host : registry.host],
      });
      const url = `https://${notary.host}`;
      const verifiers = [{ ...rules.verifiers[0], url, reach: 'public' }] as const;
      const asked = { rules: { ...rules, verifiers, owner: { namespace: 'a' } }, pod };
      const { signal } = new AbortController();
      const [found] = await judge.judge([`${gun}:1.0`], { ...asked, isDryRun: false, signal });
      expect(found?.judgement).toMatchObject(
        isNamed ? { kind: 'trusted' } : { kind: 'unavailable', why: 'not-allowed' },
      );
      expect(notary.heard.length > 0).toBe(isNamed);
      judge.close();
    },
  );

  it('follows no Notary of a namespace to where the operator alone may ask, for a token or a file', async () => {
    const { gun, registry, hosts, pair } = await open();
    const ca = hosts[0]?.ca ?? '';
    const inside = await world.open('localhost', (_, response) => response.end('{}'), pair);
    const mallory = await world.open(
      'localhost',
      (request, response) => {
        const realm = `Bearer realm="https://${inside.host}/token"`;
        const isFirst = (request.url ?? '').endsWith('timestamp.json');
        if (isFirst) response.writeHead(401, { 'www-authenticate': realm }).end();
        else response.writeHead(302, { location: `https://${inside.host}/` }).end();
      },
      pair,
    );
    const known = [inside, mallory].map(({ host }) => ({
      ...{ host, ca, plainHttp: false, addresses: [...loopback, '::1/128'] },
    }));
    const judge = await judgeOf({ hosts: [...hosts, ...known], userHosts: [mallory.host] });
    const url = `https://${mallory.host}`;
    const verifiers = [{ ...rules.verifiers[0], url, reach: 'public' }] as const;
    const asked = { rules: { ...rules, verifiers, owner: { namespace: 'a' } }, pod };
    const { signal } = new AbortController();
    await judge.judge([`${gun}:1.0`], { ...asked, isDryRun: false, signal });
    expect(mallory.heard.length).toBeGreaterThan(0);
    expect(inside.heard).toEqual([]);
    expect(registry.heard.length).toBeGreaterThan(0);
    judge.close();
  });
});
