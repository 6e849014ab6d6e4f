import type { Sql } from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { sweepImagesOn } from '#shared/adapters/database/image-sweep.ts';
import { verdictsOn } from '#shared/adapters/database/image-verdicts.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { type Collection, mostRootsOfNamespace } from '#shared/domain/image-trust/verdict-store.ts';
import { freshDatabase } from '#test/support/postgres.ts';

let sql: Sql;
beforeAll(async () => {
  const { url } = await freshDatabase();
  sql = postgres(url, { max: 2, onnotice: () => undefined });
}, 30_000);
afterAll(() => sql.end({ timeout: 1 }));
afterEach(() => vi.restoreAllMocks());

const hour = 3_600_000;
const ahead = (ms: number) => new Date(Date.now() + ms);
const of: Collection = {
  ...{ key: 'k', verifier: 'notary', server: 'https://n', name: 'r/app', owner: '' },
};

function verdict(digest: string, ms: number) {
  const judgement = { kind: 'untrusted', why: 'not-signed', note: '' } as const;
  const times = { freshUntil: ahead(ms), validUntil: ahead(ms) };
  return { tag: '1', digest, also: [], judgement, ...times };
}

describe('what is kept of images', () => {
  it('goes when it serves nobody any more, but for the roots that were trusted', async () => {
    // What keeps a verdict sweeps now and then.
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const store = verdictsOn(sql, { cluster: 'main' });
    const old = [verdict('gone', -2 * hour), verdict('kept', -hour / 2), verdict('young', hour)];
    await store.keepAnchor(of, { anchor: { root: '{}', seen: {} }, root: 'x' }, undefined);
    await store.keep(of, old, { root: 'x', isChange: false, before: [] });
    for (const digest of ['gone', 'young', 'fresh']) {
      await store.keepFacts({ digest, children: [], config: undefined });
    }
    await sql`update image_manifests set seen_at = now() - interval '2 days' where digest <> 'fresh'`;
    const place = { registry: 'r', repository: 'app', tag: '1' };
    await store.keepTag(place, { digest: 'gone', seenAt: ahead(-49 * hour) });
    // What stands in while a registry is away is a day old at most.
    await store.keepTag({ ...place, tag: '2' }, { digest: 'kept', seenAt: ahead(-25 * hour) });

    await sweepImagesOn(sql, { cluster: 'another' });
    expect(await store.list(of, 10)).toHaveLength(3);
    await sweepImagesOn(sql, { cluster: 'main' });
    expect((await store.list(of, 10)).map(({ digest }) => digest)).toEqual(['kept', 'young']);
    expect(await store.findTag(place)).toBeUndefined();
    expect(await store.findTag({ ...place, tag: '2' })).toBeDefined();
    expect(await store.findFacts('gone')).toBeUndefined();
    expect(await store.findFacts('young')).toBeDefined();
    expect(await store.findFacts('fresh')).toBeDefined();
    expect(await store.findAnchor(of)).toBeDefined();
    await store.close();
  });
});

describe("roots of a namespace's own Notaries", () => {
  const own = (name: string, owner: string): Collection => ({ ...of, name, owner });
  const kept = { anchor: { root: '{}', seen: {} }, root: 'x' };
  const open = (cluster: string) => verdictsOn(sql, { cluster });

  it('are forgotten when nobody has asked for what they sign for half a year', async () => {
    const [cluster, store] = ['forgetful', open('forgetful')];
    const all = [own('unasked', 'team-a'), own('asked', 'team-a'), own('platform', '')];
    const keepAll = () => Promise.all(all.map((each) => store.keepAnchor(each, kept, undefined)));
    await keepAll();
    const age = async (days: number) =>
      sql`update trust_anchors set kept_at = now() - make_interval(days => ${days}) where cluster = ${cluster}`;
    const isKnown = async () =>
      Promise.all(all.map(async (each) => (await store.findAnchor(each)) !== undefined));
    await age(179);
    await sweepImagesOn(sql, { cluster });
    // A namespace that is gone for a while, or trusts another for a while, finds the root that it knew.
    expect(await keepAll()).toEqual(['overtaken', 'overtaken', 'overtaken']);
    await age(181);
    // An outage of the Notary, however long, is no disuse: each try asks for the root.
    await store.findAnchor(own('asked', 'team-a'));
    await sweepImagesOn(sql, { cluster });
    expect(await isKnown()).toEqual([false, true, true]);
    await store.close();
  });

  it('are a thousand at most for each namespace, and what is known stays', async () => {
    const [cluster, store] = ['full', open('full')];
    await sql`
      insert into trust_anchors (cluster, server, name, owner, root, anchor, revision)
      select ${cluster}, 'https://n', 'r/' || at, 'team-a', 'x', '{"root":"{}","seen":{}}', 1
      from generate_series(1, ${mostRootsOfNamespace}::int) as at`;
    expect(await store.keepAnchor(own('r/new', 'team-a'), kept, undefined)).toBe('full');
    expect(await store.keepAnchor(own('r/1', 'team-a'), kept, undefined)).toBe('overtaken');
    expect(await store.keepAnchor(own('r/1', 'team-a'), kept, 1)).toBe('kept');
    expect(await store.keepAnchor(own('r/new', 'team-b'), kept, undefined)).toBe('kept');
    expect(await store.keepAnchor(own('r/new', ''), kept, undefined)).toBe('kept');
    await store.close();
  });
});
