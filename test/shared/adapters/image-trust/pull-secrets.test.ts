import { describe, expect, it } from 'vitest';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { pullSecretsOn } from '#shared/adapters/image-trust/pull-secrets.ts';
import { secrets, serviceAccounts } from '#shared/domain/kind.ts';
import { unreadLogin } from '#shared/domain/registry/credential.ts';
import type { Target } from '#shared/ports.ts';
import { rules, stage } from '#test/support/image-trust/judging.ts';
import { basicFor } from '#test/support/registry/memory-registry.ts';
import { answer } from '#test/support/tuf/notary-server.ts';

const namespace = 'team-a';
const pod = { namespace, serviceAccount: 'runner', pullSecrets: ['own'] };

function secret(name: string, place: string, username: string) {
  const auths = { [place]: { username, password: 'pass:wörd' } };
  const data = { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, data };
}

async function withAccount(cluster: ReturnType<typeof clusterInMemory>, ...names: string[]) {
  const imagePullSecrets = names.map((name) => ({ name }));
  const metadata = { namespace, name: 'runner' };
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata, imagePullSecrets };
  await cluster.create(serviceAccounts, account);
}

function open() {
  const cluster = clusterInMemory();
  const asked: Target[] = [];
  const clock = clockAt('2030-01-01T00:00:00Z');
  const find = async (target: Target) => {
    asked.push(target);
    return cluster.find(target);
  };
  const { ofPod: loginsOf } = pullSecretsOn({ cluster: { find }, clock, keptMs: () => 10_000 });
  return { cluster, asked, clock, loginsOf };
}

describe('pull secrets', () => {
  it("are the pod's own and its service account's, each read once for some seconds", async () => {
    const { cluster, asked, clock, loginsOf } = open();
    await withAccount(cluster, 'shared', 'own', 'missing');
    await cluster.create(secrets, secret('own', 'one.example', 'ann'));
    await cluster.create(secrets, secret('shared', 'two.example', 'bob'));
    const places = async () => (await loginsOf(pod)).map(({ place }) => place);
    expect(await Promise.all([places(), places()])).toEqual([
      ['one.example', 'two.example'],
      ['one.example', 'two.example'],
    ]);
    expect(asked).toHaveLength(4);
    clock.advanceMs(10_000);
    await places();
    expect(asked).toHaveLength(8);
  });

  it('X-M6 that cannot be read open nothing, and keep nobody else from it', async () => {
    const { ofPod } = pullSecretsOn({
      cluster: { find: () => Promise.reject(Object.assign(new Error('no'), { status: 403 })) },
      clock: clockAt('2030-01-01T00:00:00Z'),
      keptMs: () => 10_000,
    });
    expect(await ofPod(pod)).toEqual([]);
  });

  it('are taken apart once, however many images are asked about', async () => {
    const { cluster, clock, loginsOf } = open();
    await cluster.create(secrets, secret('own', 'one.example', 'ann'));
    const [first] = await loginsOf(pod);
    const [second] = await loginsOf(pod);
    expect(first).toMatchObject({ place: 'one.example' });
    expect(second).toBe(first);
    clock.advanceMs(10_000);
    const [third] = await loginsOf(pod);
    expect(third).toEqual(first);
    expect(third).not.toBe(first);
  });

  it('are read again after the clock was put back', async () => {
    const { cluster, clock, loginsOf } = open();
    expect(await loginsOf(pod)).toEqual([]);
    await cluster.create(secrets, secret('own', 'one.example', 'ann'));
    clock.advanceMs(-3_600_000);
    expect(await loginsOf(pod)).toMatchObject([{ place: 'one.example' }]);
  });

  it('that could not be read are left alone for a second, however many ask', async () => {
    const { asked, clock, cluster, loginsOf } = open();
    const find = cluster.find.bind(cluster);
    Object.assign(cluster, {
      find: () => Promise.reject(Object.assign(new Error('busy'), { status: 429 })),
    });
    for (let image = 0; image < 8; image++) {
      expect(await loginsOf(pod)).toEqual([unreadLogin, unreadLogin]);
    }
    expect(asked).toHaveLength(2);
    Object.assign(cluster, { find });
    await cluster.create(secrets, secret('own', 'one.example', 'ann'));
    clock.advanceMs(999);
    expect(await loginsOf(pod)).toEqual([unreadLogin, unreadLogin]);
    clock.advanceMs(1);
    expect(await loginsOf(pod)).toMatchObject([{ place: 'one.example' }]);
    expect(asked).toHaveLength(4);
  });

  it('that were heard of late are left alone from then on', async () => {
    const clock = clockAt('2030-01-01T00:00:00Z');
    const slow: ((cause: Error) => void)[] = [];
    const find = () => new Promise<undefined>((_, reject) => slow.push(reject));
    const { ofSecret } = pullSecretsOn({ cluster: { find }, clock, keptMs: () => 10_000 });
    const first = ofSecret(namespace, 'own');
    clock.advanceMs(9_500);
    slow[0]?.(new Error('no answer'));
    expect(await first).toEqual([unreadLogin]);
    clock.advanceMs(900);
    expect(await ofSecret(namespace, 'own')).toEqual([unreadLogin]);
    expect(slow).toHaveLength(1);
  });

  it('that no Secret can be called by are asked for by nobody', async () => {
    const { asked, loginsOf } = open();
    const pullSecrets = ['..', 'a/b', 'A', '\ud800', 'a'.repeat(254)];
    expect(await loginsOf({ ...pod, pullSecrets })).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  const told = expect.stringMatching(
    /more than 16 pull secrets, and the first 16 are read.*: name fewer/,
  );
  const leftOut = [{ why: 'left-out', told }];
  it.each([
    [16, []],
    [17, leftOut],
    [100, leftOut],
  ])(
    'are at most sixteen for a pod, and of %d it is said what was left out',
    async (count, left) => {
      const { asked, loginsOf } = open();
      const pullSecrets = Array.from({ length: count }, (_, at) => `s${at}`);
      expect(await loginsOf({ ...pod, pullSecrets })).toMatchObject(left);
      expect(asked.filter(({ kind }) => kind.resource === 'secrets')).toHaveLength(16);
    },
  );

  function fullSecret(name: string) {
    const places = [
      ...Array.from({ length: 2_000 }, (_, at) => `${name}-${at}.test`),
      ...Array.from({ length: 200 }, (_, at) => `*.${name}-${at}.test`),
    ];
    const auth = btoa('ann:word');
    const auths = Object.fromEntries(places.map((place) => [place, { auth }]));
    const data = { '.dockerconfigjson': btoa(JSON.stringify({ auths })) };
    return { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, data };
  }
  const bothTold = expect.stringMatching(/more entries together than are read.*: put the one for/);

  it('are together no more than one that is full, and it is said what was left out', async () => {
    const { cluster, loginsOf } = open();
    const pullSecrets = Array.from({ length: 16 }, (_, at) => `s${at}`);
    for (const name of pullSecrets) await cluster.create(secrets, fullSecret(name));
    const logins = await loginsOf({ ...pod, pullSecrets });
    expect(logins).toHaveLength(2_201);
    expect(logins.slice(0, -1).every(({ place }) => place?.includes('s0-'))).toBe(true);
    expect(logins.at(-1)).toEqual({ why: 'left-out', told: bothTold });
  });

  it('are all read where they are together as many', async () => {
    const { cluster, loginsOf } = open();
    await cluster.create(secrets, fullSecret('full'));
    await cluster.create(secrets, secret('own', 'one.example', 'ann'));
    expect(await loginsOf({ ...pod, pullSecrets: ['full', 'none'] })).toHaveLength(2_200);
    const own = await loginsOf({ ...pod, pullSecrets: ['own', 'full'] });
    expect(own[0]).toMatchObject({ place: 'one.example' });
    expect(own).toHaveLength(2_201);
    expect(own.at(-1)).toMatchObject({ why: 'left-out' });
  });
});

describe('a judge that is given a pod', () => {
  const gun = 'registry.example/team/app';
  const wanted = basicFor('ann', 'pass:wörd');

  async function guarded() {
    const made = stage();
    await made.cluster.create(secrets, secret('own', 'registry.example', 'ann'));
    await made.cluster.create(secrets, secret('other', 'elsewhere.example', 'eve'));
    await made.world.sign(gun, { '1.0': made.world.push(`${gun}:1.0`, 'good') });
    made.world.instead.rule = ({ url, authorization }) =>
      url.startsWith('https://registry.example') && authorization !== wanted
        ? answer(401, { 'www-authenticate': 'Basic realm="r"' })
        : undefined;
    return { ...made, judge: made.replica() };
  }

  it('shows its credentials to the registry that they are for, and to nobody else', async () => {
    const { judge, world } = await guarded();
    expect(await judge.one(`${gun}:1.0`, { pod })).toMatchObject({ kind: 'trusted' });
    const shown = world.visits.filter(({ authorization }) => authorization !== undefined);
    expect(shown.length).toBeGreaterThan(0);
    for (const { url } of shown) expect(new URL(url).host).toBe('registry.example');
  });

  it('lets no pod without credentials spoil it for one that has them', async () => {
    const { judge } = await guarded();
    const poor = { ...pod, pullSecrets: ['other'] };
    const both = [poor, pod].map((each) => judge.one(`${gun}:1.0`, { pod: each }));
    expect(await Promise.all(both)).toMatchObject([
      { why: 'registry-refused' },
      { kind: 'trusted' },
    ]);
  });

  it.each(['secrets', 'serviceaccounts'])(
    'takes it for no refusal that the API server did not hand out its %s, and asks again in a second',
    async (resource) => {
      const { judge, cluster, clock } = await guarded();
      const find = cluster.find.bind(cluster);
      Object.assign(cluster, {
        find: (target: Target) =>
          target.kind.resource === resource ? Promise.reject(new Error('busy')) : find(target),
      });
      const unread = resource === 'secrets' ? pod : { ...pod, pullSecrets: [] };
      const away = { kind: 'unavailable', why: 'login' };
      expect(await judge.one(`${gun}:1.0`, { pod: unread })).toMatchObject(away);
      Object.assign(cluster, { find });
      await withAccount(cluster, 'own');
      clock.advanceMs(1_000);
      expect(await judge.one(`${gun}:1.0`, { pod: unread })).toMatchObject({ kind: 'trusted' });
    },
  );

  it('never tells a credential, whatever it answers', async () => {
    const { judge } = await guarded();
    const said = [
      await judge.one(`${gun}:1.0`, { pod, rules }),
      await judge.one(`${gun}:2.0`, { pod: { ...pod, pullSecrets: ['own', 'other'] } }),
    ];
    expect(JSON.stringify(said)).not.toMatch(/pass|ann|eve|Basic/);
  });
});
