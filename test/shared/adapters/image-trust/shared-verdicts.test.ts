import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import { type OpenVerdicts, verdictsOn } from '#shared/adapters/database/image-verdicts.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import { rules, stage } from '#test/support/image-trust/judging.ts';
import { notary } from '#test/support/image-trust/trust-world.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { rootSigner, snapshotKey, targetsKey, timestampKey } from '#test/support/tuf/scene.ts';

const gun = 'registry.example/team/app';
const minute = 60_000;

describe('three replicas on one database', () => {
  const opened: OpenVerdicts[] = [];
  let sql: Sql;
  let url: string;
  let clusters = 0;
  beforeAll(async () => {
    ({ url } = await freshDatabase());
    const most = 6;
    sql = postgres(url, { max: most, onnotice: () => undefined });
    // Whoever had to wait for a connection on a busy machine would take the database for one that is away.
    await Promise.all(Array.from({ length: most }, () => sql`select pg_sleep(0.05)`));
  }, 30_000);
  afterAll(async () => {
    await Promise.all(opened.map(({ close }) => close()));
    await sql.end({ timeout: 1 });
  });

  /** Each case has a cluster of its own. */
  function onPostgres(config = {}, on = sql) {
    clusters += 1;
    const cluster = `cluster ${clusters}`;
    return stage(config, () => {
      const store = verdictsOn(on, { cluster });
      opened.push(store);
      return store;
    });
  }

  /** Somebody who never comes back holds the claim of all that is kept, and nothing is kept any more. */
  async function haunt(leaseMs: number) {
    await sql`insert into image_claims
      select cluster, collection, 'ghost', clock_timestamp() + ${leaseMs} * interval '1 ms'
      from image_verdicts where cluster = ${`cluster ${clusters}`}
      on conflict (cluster, collection) do update set
        holder = excluded.holder, lease_until = excluded.lease_until`;
    await sql`delete from image_verdicts where cluster = ${`cluster ${clusters}`}`;
  }

  it('ask a Notary once for each of twenty repositories, however many pods come', async () => {
    const { world, replica } = onPostgres();
    const repositories = Array.from({ length: 20 }, (_, at) => `registry.example/team/app${at}`);
    for (const each of repositories) {
      await world.sign(each, { '1.0': world.push(`${each}:1.0`, each) });
    }
    world.delay.ms = 3;
    const replicas = [replica(), replica(), replica()];
    const judged = await Promise.all(
      Array.from({ length: 300 }, (_, at) => replicas[at % 3]?.one(`${repositories[at % 20]}:1.0`)),
    );
    expect(judged.filter((each) => each?.kind === 'trusted')).toHaveLength(300);
    expect(world.timestamps()).toBe(20);
  });

  it.each<[string, { readonly server?: string; readonly tag?: string }]>([
    ['a server’s', { server: `${notary}/a\0b` }],
    ['a server’s, of six kilobytes', { server: `${notary}/${randomBytes(3_000).toString('hex')}` }],
    ['a tag’s', { tag: 'x\0' }],
  ])(
    'know of the others’ images what they knew while somebody’s text cannot be kept: %s',
    async (_, { server = notary, tag = '1.0' }) => {
      const { world, replica, clock } = onPostgres();
      const { one } = replica();
      const [evil, good, next] = ['evil.example/app', 'good.example/app', 'good.example/next'];
      const digests = Object.fromEntries(
        [evil, good, next].map((each) => [each, world.push(`${each}:1.0`, each)]),
      );
      await world.sign(evil, { [tag]: digests[evil] ?? '' }, { server });
      for (const each of [good, next]) await world.sign(each, { '1.0': digests[each] ?? '' });
      const verifiers = [{ ...rules.verifiers[0], url: server }] as const;
      const tenant = { rules: { ...rules, verifiers, owner: { namespace: 'tenant' } } } as const;
      const image = `${evil}@${digests[evil]}`;
      for (const first of [good, next]) {
        await one(image, tenant);
        expect(await one(`${first}:1.0`)).toMatchObject({
          kind: 'trusted',
          remarks: ['first-use'],
        });
        clock.advanceMs(6 * minute);
      }
    },
  );

  it('take the claim of one who is gone when its lease has run out', async () => {
    const { world, replica } = onPostgres();
    await world.sign(gun, { '1.0': world.push(`${gun}:1.0`, 'good') });
    await replica().one(`${gun}:1.0`);
    await haunt(300);
    expect(await replica().one(`${gun}:1.0`)).toMatchObject({ kind: 'trusted' });
    expect(world.timestamps()).toBe(2);
  });

  it('stay out of a verification that takes longer than its lease', async () => {
    const { world, replica } = onPostgres({ server: { timeoutSeconds: 2 } });
    const digest = world.push(`${gun}:1.0`, 'good');
    await world.sign(gun, { '1.0': digest });
    world.delay.ms = 500;
    const startedAt = performance.now();
    const judged = await Promise.all([replica(), replica()].map((each) => each.one(`${gun}:1.0`)));
    expect(judged).toMatchObject([{ kind: 'trusted' }, { kind: 'trusted' }]);
    expect(performance.now() - startedAt).toBeGreaterThan(1_500);
    expect(world.timestamps()).toBe(1);
  });

  it('hold no connection while they wait for one who asks', async () => {
    const single = postgres(url, { max: 1, onnotice: () => undefined });
    const { world, replica } = onPostgres({}, single);
    await world.sign(gun, { '1.0': world.push(`${gun}:1.0`, 'good') });
    await replica().one(`${gun}:1.0`);
    await haunt(60_000);
    const waiting = Array.from({ length: 10 }, () => replica().one(`${gun}:1.0`));
    for (let times = 0; times < 20; times += 1) {
      const askedAt = performance.now();
      await single`select 1`;
      expect(performance.now() - askedAt).toBeLessThan(500);
      await pause(20);
    }
    expect(world.timestamps()).toBe(1);
    await sql`delete from image_claims where cluster = ${`cluster ${clusters}`}`;
    const judged = await Promise.all(waiting);
    expect(judged.map(({ kind }) => kind)).toEqual(judged.map(() => 'trusted'));
    expect(world.timestamps()).toBe(2);
    await single.end({ timeout: 1 });
  });

  it('agree on one root, whichever of two came first', async () => {
    const { world, replica } = onPostgres();
    const digest = world.push(`${gun}:1.0`, 'good');
    await world.sign(gun, { '1.0': digest });
    const [one, two] = [replica(), replica()];
    await Promise.all([one.one(`${gun}:1.0`), two.one(`${gun}@${digest}`)]);
    const kept = await sql`select 1 from trust_anchors where cluster = ${`cluster ${clusters}`}`;
    expect(kept).toHaveLength(1);
    await world.sign(gun, { '2.0': digest }, { owner: await rootSigner(gun) });
    expect(await two.one(`${gun}:2.0@${digest}`)).toMatchObject({ why: 'bad-proof' });
  });
});

type Outage = { kind: 'none' | 'fails' | 'hangs'; from: keyof VerdictStore | undefined };

/** A database that goes away as it is told: at once, or from one statement on. */
function failing(store: VerdictStore, outage: Outage): VerdictStore {
  const wrapped = Object.entries(store).map(([name, call]) => [
    name,
    (...given: readonly unknown[]) => {
      if (name === outage.from) Object.assign(outage, { kind: 'fails', from: undefined });
      if (name.startsWith('on') || outage.kind === 'none') return Reflect.apply(call, store, given);
      return outage.kind === 'hangs' ? new Promise(() => undefined) : Promise.reject(new Error());
    },
  ]);
  return Object.fromEntries(wrapped);
}

it('a claim is held for half of what an admission may take now', async () => {
  const store = verdictsInMemory().open();
  const leases: number[] = [];
  const { world, replica, settings } = stage({ server: { timeoutSeconds: 8 } }, () => ({
    ...store,
    claim: (collection, holder, leaseMs) => {
      leases.push(leaseMs);
      return store.claim(collection, holder, leaseMs);
    },
  }));
  await world.sign(gun, { '1.0': world.push(`${gun}:1.0`, 'good') });
  const one = replica();
  await one.one(`${gun}:1.0`);
  settings.change({ server: { timeoutSeconds: 2 } });
  await one.one(`${gun}:2.0@${world.push(`${gun}:2.0`, 'other')}`);
  expect(leases).toEqual([4_000, 1_000]);
});

describe('while the database is away', () => {
  async function away(config = {}) {
    const { open } = verdictsInMemory();
    const outage: Outage = { kind: 'none', from: undefined };
    // Short leases: whoever is gone is waited for that long.
    const made = stage({ server: { timeoutSeconds: 1 }, ...config }, open);
    const digest = made.world.push(`${gun}:1.0`, 'good');
    const owner = await rootSigner(gun);
    await made.world.sign(gun, { '1.0': digest }, { owner });
    /** All hear of it, and need not wait until they try again by themselves. */
    const back = async () => {
      outage.kind = 'none';
      const other = { key: 'o', verifier: 'notary', server: '', name: '', owner: '' } as const;
      await open().keep(other, [], { root: '', isChange: true, before: [] });
    };
    return { ...made, outage, owner, back, replica: () => made.replica(failing(open(), outage)) };
  }

  it.each(['fails', 'hangs'] as const)('(it %s) nothing is trusted on first use', async (kind) => {
    const { replica, outage } = await away();
    outage.kind = kind;
    expect(await replica().one(`${gun}:1.0`)).toMatchObject({ why: 'root-not-kept' });
  });

  it('each replica asks by itself, once for each image, under the root that it knows', async () => {
    const { replica, outage, world, clock } = await away();
    const replicas = [replica(), replica()];
    const all = () => Promise.all(replicas.map((each) => each.one(`${gun}:1.0`)));
    await all();
    expect(world.timestamps()).toBe(1);
    outage.kind = 'fails';
    clock.advanceMs(5 * minute);
    const judged = [...(await all()), ...(await all()), ...(await all())];
    expect(judged.map(({ kind }) => kind)).toEqual(judged.map(() => 'trusted'));
    expect(world.timestamps()).toBeLessThanOrEqual(3);
  });

  it('a pin says which root may be trusted', async () => {
    const { world, outage, replica, owner, settings } = await away();
    const pins = [{ server: '', prefix: '', keyIds: [owner.id], certificates: [] }];
    settings.change({ imageTrust: { notary: { pins } } });
    outage.kind = 'fails';
    expect(await replica().one(`${gun}:1.0`)).toMatchObject({ kind: 'trusted' });
    expect(world.timestamps()).toBe(1);
  });

  describe('and comes back, what a replica has seen meanwhile', () => {
    const by = (version: number) => ({
      timestamp: { signers: [timestampKey], version },
      snapshot: { signers: [snapshotKey], version },
      targets: { signers: [targetsKey], version },
    });

    async function seenMeanwhile() {
      const made = await away();
      const { outage, back, world, clock, replica } = made;
      const digest = world.push(`${gun}:1.0`, 'good');
      const sign = (version: number, ...tags: readonly string[]) =>
        world.sign(gun, Object.fromEntries(tags.map((tag) => [tag, digest])), by(version));
      await sign(1, '1.0', '2.0');
      const one = replica();
      expect(await one.one(`${gun}:1.0`)).toMatchObject({ kind: 'trusted' });
      outage.kind = 'fails';
      clock.advanceMs(5 * minute);
      await sign(2, '2.0');
      expect(await one.one(`${gun}:1.0`)).toMatchObject({ why: 'not-signed' });
      await back();
      clock.advanceMs(5 * minute);
      return { ...made, one, sign, digest };
    }

    it('is not gone back behind', async () => {
      const { one, sign } = await seenMeanwhile();
      await sign(1, '1.0', '2.0');
      expect(await one.one(`${gun}:1.0`)).toMatchObject({ why: 'bad-proof' });
    });

    it('is less than what another one has seen since', async () => {
      const { one, sign, digest, clock, replica } = await seenMeanwhile();
      await sign(3, '3.0');
      expect(await replica().one(`${gun}:3.0@${digest}`)).toMatchObject({ kind: 'trusted' });
      clock.advanceMs(5 * minute);
      await sign(2, '2.0');
      expect(await one.one(`${gun}:2.0@${digest}`)).toMatchObject({ why: 'bad-proof' });
    });

    it('is told to the others by whatever it proves next', async () => {
      const { one, sign, digest, clock, replica } = await seenMeanwhile();
      expect(await one.one(`${gun}:2.0@${digest}`)).toMatchObject({ kind: 'trusted' });
      clock.advanceMs(5 * minute);
      await sign(1, '1.0', '2.0');
      expect(await replica().one(`${gun}:1.0`)).toMatchObject({ why: 'bad-proof' });
    });
  });

  it('since a moment ago, a first use that could not be kept is none', async () => {
    const { replica, outage, world } = await away();
    const one = replica();
    outage.from = 'keepAnchor';
    expect(await one.one(`${gun}:1.0`)).toMatchObject({ why: 'root-not-kept' });
    const digest = world.push(`${gun}:2.0`, 'other');
    await world.sign(gun, { '2.0': digest }, { owner: await rootSigner(gun) });
    outage.kind = 'none';
    expect(await replica().one(`${gun}:2.0`)).toMatchObject({ kind: 'trusted' });
  });
});
