import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Anchor } from '#shared/domain/image-trust/tuf/trust.ts';
import { standingIn, type Verdict } from '#shared/domain/image-trust/verdict.ts';
import {
  type Before,
  type Collection,
  isRefusedQuestion,
  type VerdictStore,
} from '#shared/domain/image-trust/verdict-store.ts';
import { until } from '#test/support/until.ts';

export type VerdictStage = {
  /** Of a replica of its own. */
  open(): VerdictStore;
  /** As if the holder had said nothing for longer than its lease. */
  lapse(collection: Collection): Promise<void>;
  /** Sets the clock that leases go by back by an hour, as far as one of them is seen by it. */
  setClockBack(collection: Collection): Promise<void>;
};

const digest = `sha256:${'a'.repeat(64)}`;
const other = `sha256:${'b'.repeat(64)}`;
const anchor: Anchor = {
  root: '{"signed":{"_type":"Root\\u0000ü"}}',
  seen: { timestamp: { version: 3, keyIds: ['k1'] } },
};
const trusted: Verdict = {
  tag: '1.0',
  digest,
  also: [other],
  judgement: {
    kind: 'trusted',
    digest,
    children: [],
    by: {
      verifier: 'notary',
      server: 'https://n',
      name: 'r/app:1.0',
      keys: ['k"1', 'a, "quoted" {key}'],
    },
    until: new Date('2031-01-01T00:00:00.123Z'),
    remarks: ['first-use'],
  },
  freshUntil: new Date('2030-01-01T00:05:00.456Z'),
  validUntil: new Date('2031-01-01T00:00:00.123Z'),
};
const unsigned = { kind: 'untrusted', why: 'not-signed', note: 'no' } as const;
const bare: Verdict = { ...trusted, tag: undefined, also: [], judgement: unsigned };
const away: Verdict = {
  ...trusted,
  judgement: { kind: 'unavailable', why: 'notary', note: 'nobody answers' },
};
const unrooted = { root: '', isChange: false, before: [] };

let made = 0;
function collection(more: Partial<Collection> = {}): Collection {
  made += 1;
  const key = `collection-${made}`;
  return { key, verifier: 'notary', server: 'https://n', name: key, owner: '', ...more };
}

type Step = { readonly by: number; readonly found: Verdict };
type Landing = { readonly verdict: Verdict; readonly from: number; readonly at: number };

/** Each begins where it has not begun, and keeps what it found out where it has: what stands then, and what should. */
async function proven(store: VerdictStore, of: Collection, steps: readonly Step[]) {
  const begun = new Map<number, { readonly from: number; readonly before: readonly Before[] }>();
  const landings: Landing[] = [];
  const found: (Verdict | undefined)[] = [];
  const expected: (Verdict | undefined)[] = [];
  const standing = async () => (await store.find(of, [trusted]))[0];
  for (const [at, { by, found: told }] of steps.entries()) {
    const own = begun.get(by);
    if (own === undefined) {
      const validUntil = (await standing())?.validUntil;
      begun.set(by, { from: at, before: [{ ...trusted, validUntil }] });
      continue;
    }
    begun.delete(by);
    const { judgement } = told;
    const verdict = { ...trusted, judgement, validUntil: new Date(Date.UTC(2030, 0, 1, 0, at)) };
    await store.keep(of, [verdict], { ...unrooted, before: own.before });
    landings.push({ verdict, from: own.from, at });
    found.push(await standing());
    expected.push(landings.reduce(prevailing).verdict);
  }
  return [found, expected];
}

function prevailing(there: Landing, next: Landing): Landing {
  const isTakenBack = there.verdict.judgement.kind === 'untrusted' && there.at > next.from;
  return isTakenBack && next.verdict.judgement.kind !== 'untrusted' ? there : next;
}

/** What all replicas know together of images: the same in memory and on Postgres. */
export function verdictContract(name: string, open: () => Promise<VerdictStage>): void {
  describe(name, () => {
    it('gives back every part of a verdict, to every replica', async () => {
      const stage = await open();
      const of = collection();
      await stage.open().keep(of, [trusted, bare], unrooted);
      expect(await stage.open().find(of, [trusted])).toEqual([trusted]);
      expect(await stage.open().find(of, [bare])).toEqual([bare]);
      expect(await stage.open().list(of, 10)).toHaveLength(2);
      expect(await stage.open().list(of, 1)).toHaveLength(1);
    });

    it.each<[string, Partial<Verdict>]>([
      ['another tag', { tag: '2.0' }],
      ['another digest', { digest: other }],
    ])('knows nothing of %s', async (_, asked) => {
      const store = (await open()).open();
      const of = collection();
      await store.keep(of, [trusted], unrooted);
      expect(await store.find(of, [{ ...trusted, ...asked }])).toEqual([]);
      expect(await store.find(collection(), [trusted])).toEqual([]);
    });

    it('keeps the newest of two verdicts on one image', async () => {
      const store = (await open()).open();
      const of = collection();
      await store.keep(of, [trusted], unrooted);
      const next = { ...trusted, judgement: bare.judgement, also: [] };
      await store.keep(of, [next], unrooted);
      expect(await store.find(of, [trusted])).toEqual([next]);
    });

    it('lets what stands in take the place of what is trusted still, and of nothing else', async () => {
      const stage = await open();
      const [holder, other] = [stage.open(), stage.open()];
      const of = collection();
      const at = (tag: string) => ({ ...trusted, tag });
      const revoked = { ...at('2.0'), judgement: bare.judgement };
      await other.keep(of, [at('1.0'), revoked], unrooted);
      const older = [at('1.0'), at('2.0'), at('3.0')];
      const standing = older.map((each) => standingIn(each, { freshUntil: each.validUntil }));
      await holder.keep(of, standing, unrooted);
      await holder.keep(of, standing, unrooted);
      const [first, , third] = standing;
      expect(await other.find(of, [at('1.0')])).toEqual([first]);
      expect(await other.find(of, [at('2.0')])).toEqual([revoked]);
      expect(await other.find(of, [at('3.0')])).toEqual([third]);
      // What is proven is news in any case.
      await other.keep(of, older, unrooted);
      expect(await other.find(of, [at('2.0')])).toEqual([at('2.0')]);
    });

    describe.each<[string, Verdict | undefined]>([
      ['after nothing', undefined],
      ['after it was trusted', trusted],
      ['after it was untrusted', { ...bare, tag: trusted.tag, validUntil: trusted.freshUntil }],
    ])('%s', (_, first) => {
      const until = new Date('2030-01-01T00:07:00Z');
      const revoked = { ...bare, tag: trusted.tag, freshUntil: until, validUntil: until };
      const before = [{ ...trusted, validUntil: first?.validUntil }];
      const begun = { ...unrooted, before };
      const opened = async () => {
        const store = (await open()).open();
        const of = collection();
        if (first !== undefined) await store.keep(of, [first], unrooted);
        return { store, of };
      };

      it('keeps what is trusted by a proof that began then', async () => {
        const { store, of } = await opened();
        expect(await store.keep(of, [trusted], begun)).toEqual([]);
        expect(await store.find(of, [trusted])).toEqual([trusted]);
      });

      it('keeps what was taken back since, and says so', async () => {
        const { store, of } = await opened();
        await store.keep(of, [revoked], unrooted);
        const aside = { ...trusted, tag: 'another' };
        expect(await store.keep(of, [trusted, aside], begun)).toMatchObject([{ tag: trusted.tag }]);
        expect(await store.find(of, [trusted])).toEqual([revoked]);
        expect(await store.find(of, [aside])).toEqual([aside]);
        expect(await store.keep(of, [away], begun)).toMatchObject([{ tag: away.tag }]);
        expect(await store.find(of, [trusted])).toEqual([revoked]);
        // Whoever began after that has seen it.
        const after = { ...unrooted, before: [revoked] };
        expect(await store.keep(of, [trusted], after)).toEqual([]);
        expect(await store.find(of, [trusted])).toEqual([trusted]);
      });

      it('takes back what was trusted since, and forgets what was taken back under another root', async () => {
        const { store, of } = await opened();
        await store.keep(of, [trusted], unrooted);
        expect(await store.keep(of, [revoked], begun)).toEqual([]);
        expect(await store.find(of, [trusted])).toEqual([revoked]);
        await store.keepAnchor(of, { anchor, root: 'second' }, undefined);
        expect(await store.keep(of, [trusted], { ...begun, root: 'second' })).toEqual([]);
        expect(await store.find(of, [trusted])).toEqual([trusted]);
      });
    });

    it('trusts nothing that was taken back while it was proven, in whatever order proofs begin and end', async () => {
      const store = (await open()).open();
      const found = fc.constantFrom(trusted, bare, away);
      const step = fc.record({ by: fc.nat(3), found });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
          const [standing, expected] = await proven(store, collection(), steps);
          expect(standing).toEqual(expected);
        }),
        { numRuns: 60 },
      );
    });

    describe('where a text cannot be kept', () => {
      const nul = 'a\0b';
      const random = Array.from({ length: 200 }, () => crypto.randomUUID()).join('');
      const facts = { digest: nul, children: [], config: undefined };
      const place = { registry: 'r', repository: nul, tag: '1.0' };
      const seen = { digest, seenAt: new Date('2030-01-01T00:00:00Z') };
      type Ask = (store: VerdictStore, of: Collection) => Promise<unknown>;

      it.each<[string, Ask]>([
        ['of a tag', (store, of) => store.find(of, [{ tag: nul, digest }])],
        ['of a digest', (store, of) => store.find(of, [{ tag: '1.0', digest: nul }])],
        ['of a verdict', (store, of) => store.keep(of, [{ ...trusted, tag: nul }], unrooted)],
        ['of a server', (store, of) => store.findAnchor({ ...of, server: nul })],
        [
          'of a name',
          (store, of) => store.keepAnchor({ ...of, name: nul }, { anchor, root: 'x' }, undefined),
        ],
        [
          'as long as no key may be',
          (store, of) =>
            store.keepAnchor({ ...of, server: random }, { anchor, root: 'x' }, undefined),
        ],
        ['of a holder', (store, of) => store.claim(of, nul, 60_000)],
        ['of a place', (store) => store.findTag(place)],
        ['of a place that was seen', (store) => store.keepTag(place, seen)],
        [
          'of a place that is as long',
          (store) => store.keepTag({ ...place, repository: random }, seen),
        ],
        ['of a manifest', (store) => store.findFacts(nul)],
        ['of a manifest that was read', (store) => store.keepFacts(facts)],
      ])('refuses that question alone, and is not away: %s', async (_, ask) => {
        const store = (await open()).open();
        const of = collection();
        await store.keep(of, [trusted], unrooted);
        const [refused, ...others] = await Promise.allSettled([
          ask(store, of),
          ...[store.find(of, [trusted]), store.claim(of, 'one', 60_000), store.findFacts(digest)],
        ]);
        expect(refused.status === 'rejected' && isRefusedQuestion(refused.reason)).toBe(true);
        expect(others.map(({ status }) => status)).toEqual(others.map(() => 'fulfilled'));
      });

      it('keeps what is for people to read, and what cannot be read of it is marked', async () => {
        const store = (await open()).open();
        const of = collection();
        const told = (note: string): Verdict => ({ ...bare, judgement: { ...unsigned, note } });
        for (const note of ['a\0b', 'a\ud800b', 'a\\u0000b']) {
          await store.keep(of, [told(note)], unrooted);
          await store.keep(of, [told(note)], unrooted);
          const kept = note.toWellFormed().replace('\0', '\ufffd');
          expect(await store.find(of, [bare])).toEqual([told(kept)]);
        }
      });
    });

    it('finds nothing that was proven under another root than the one that is kept', async () => {
      const store = (await open()).open();
      const of = collection();
      await store.keepAnchor(of, { anchor, root: 'first' }, undefined);
      await store.keep(of, [trusted], { ...unrooted, root: 'first' });
      expect(await store.find(of, [trusted])).toEqual([trusted]);
      await store.keepAnchor(of, { anchor, root: 'second' }, 1);
      expect(await store.find(of, [trusted])).toEqual([]);
      expect(await store.list(of, 10)).toEqual([trusted]);
    });

    it('keeps an anchor as it was, once, and moves it on for whoever read it last', async () => {
      const store = (await open()).open();
      const of = collection();
      expect(await store.findAnchor(of)).toBeUndefined();
      const all = ['a', 'b', 'c'].map((root) => store.keepAnchor(of, { anchor, root }, undefined));
      expect((await Promise.all(all)).toSorted()).toEqual(['kept', 'overtaken', 'overtaken']);
      expect(await store.findAnchor(of)).toMatchObject({ anchor, revision: 1 });
      expect(await store.keepAnchor(of, { anchor, root: 'd' }, 1)).toBe('kept');
      expect(await store.keepAnchor(of, { anchor, root: 'e' }, 1)).toBe('overtaken');
      expect(await store.findAnchor(of)).toMatchObject({ root: 'd', revision: 2 });
    });

    it.each<[string, Partial<Collection>]>([
      ['server', { server: 'https://other' }],
      ['name', { name: 'another' }],
      ['owner', { owner: 'team-a' }],
    ])('has an anchor of its own for each %s', async (_, more) => {
      const store = (await open()).open();
      const of = collection();
      await store.keepAnchor(of, { anchor, root: 'x' }, undefined);
      expect(await store.findAnchor({ ...of, ...more })).toBeUndefined();
    });

    it('is claimed by one, who may renew, until it is released or the lease runs out', async () => {
      const stage = await open();
      const [one, two] = [stage.open(), stage.open()];
      const of = collection();
      expect(await one.claim(of, 'one', 60_000)).toBe(true);
      expect(await two.claim(of, 'two', 60_000)).toBe(false);
      expect(await one.claim(of, 'one', 60_000)).toBe(true);
      await two.release(of, 'two');
      expect(await two.claim(of, 'two', 60_000)).toBe(false);
      await one.release(of, 'one');
      expect(await two.claim(of, 'two', 60_000)).toBe(true);
      await stage.lapse(of);
      expect(await one.claim(of, 'one', 60_000)).toBe(true);
    });

    it('is free after the clock was set back, and then held again', async () => {
      const stage = await open();
      const [one, two] = [stage.open(), stage.open()];
      const of = collection();
      await one.claim(of, 'one', 60_000);
      await stage.setClockBack(of);
      expect(await two.claim(of, 'two', 60_000)).toBe(true);
      expect(await one.claim(of, 'one', 60_000)).toBe(false);
    });

    it('tells the other replicas when a claim is given back by who held it', async () => {
      const stage = await open();
      const heard: (string | undefined)[] = [];
      stage.open().onRelease((key) => heard.push(key));
      const store = stage.open();
      const [mine, other] = [collection(), collection()];
      const giveBack = async () => {
        await store.claim(mine, 'one', 60_000);
        await store.release(mine, 'one');
        return heard.filter((key) => key === mine.key).length;
      };
      await until(async () => (await giveBack()) > 0);
      await store.claim(other, 'one', 60_000);
      await store.release(other, 'two');
      const before = heard.length;
      await until(async () => (await giveBack()) > before);
      expect(heard).not.toContain(other.key);
    });

    it('gives each of many who ask in one moment an answer of his own', async () => {
      const stage = await open();
      const store = stage.open();
      const all = Array.from({ length: 30 }, () => collection());
      await Promise.all(all.map((of) => store.keepAnchor(of, { anchor, root: of.key }, undefined)));
      const kept = all.map((of, at) => ({ ...trusted, tag: `t${at}`, root: of.key }));
      const rooted = (root: string) => ({ ...unrooted, root });
      await Promise.all(
        all.map((of, at) => {
          const { root = '', ...verdict } = kept[at] ?? { ...trusted, root: '' };
          // Every third one was proven under another root than its own.
          return store.keep(of, [verdict], rooted(at % 3 === 0 ? 'other' : root));
        }),
      );
      const found = await Promise.all(
        all.map((of, at) => store.find(of, [{ tag: `t${at}`, digest }])),
      );
      expect(found.map(([verdict]) => verdict?.tag)).toEqual(
        all.map((_, at) => (at % 3 === 0 ? undefined : `t${at}`)),
      );
      const claims = await Promise.all(
        [...all, ...all].map((of, at) => store.claim(of, `holder ${at}`, 60_000)),
      );
      const holders = all.map((_, at) => [claims[at], claims[at + 30]].filter(Boolean).length);
      expect(holders).toEqual(all.map(() => 1));
      const facts = all.map(({ key }, at) => ({
        digest: `sha256:${key}`,
        children: at % 2 === 0 ? [digest, other] : [],
        config: at % 2 === 0 ? undefined : digest,
      }));
      await Promise.all(facts.map((each) => store.keepFacts(each)));
      expect(await Promise.all(facts.map((each) => store.findFacts(each.digest)))).toEqual(facts);
    });

    it('remembers the newest that a tag was, and what manifests are made of', async () => {
      const store = (await open()).open();
      const { key } = collection();
      const place = { registry: 'r', repository: key, tag: '1.0' };
      expect(await store.findTag(place)).toBeUndefined();
      const nowMs = Date.now();
      const seen = (digest: string, ms: number) => ({ digest, seenAt: new Date(nowMs + ms) });
      const [first, newer, behind] = [seen(digest, -9e5), seen(other, -3e5), seen(digest, -6e5)];
      await store.keepTag(place, first);
      expect(await store.findTag(place)).toEqual(first);
      await store.keepTag(place, newer);
      expect(await store.findTag(place)).toEqual(newer);
      // Nor does a clock that is minutes behind say what it was since.
      await store.keepTag(place, behind);
      expect(await store.findTag(place)).toEqual(newer);
      // What a clock ahead has seen keeps nobody from saying what a tag is now.
      await store.keepTag(place, seen(digest, 6e5));
      await store.keepTag(place, seen(other, 0));
      expect(await store.findTag(place)).toEqual(seen(other, 0));
      const facts = { digest: `sha256:${key}`, children: [other], config: undefined };
      expect(await store.findFacts(facts.digest)).toBeUndefined();
      await store.keepFacts(facts);
      await store.keepFacts(facts);
      expect(await store.findFacts(facts.digest)).toEqual(facts);
      await store.keepFacts({ ...facts, digest, config: other });
      expect(await store.findFacts(digest)).toMatchObject({ config: other });
    });

    it('tells the other replicas where a verdict changed, and not where one was added', async () => {
      const stage = await open();
      const heard: (string | undefined)[] = [];
      stage.open().onChange((key) => heard.push(key));
      const [changed, added] = [collection(), collection()];
      const store = stage.open();
      await until(async () => {
        await store.keep(changed, [], { ...unrooted, isChange: true });
        return heard.includes(changed.key);
      });
      await store.keep(added, [trusted], unrooted);
      expect(heard).not.toContain(added.key);
    });
  });
}
