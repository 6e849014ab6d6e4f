import { describe, expect, it } from 'vitest';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import { nobody } from '#shared/adapters/image-trust/account.ts';
import { attempts } from '#shared/adapters/image-trust/attempt.ts';
import { openCollections } from '#shared/adapters/image-trust/collections.ts';
import type { Askable } from '#shared/adapters/image-trust/parts.ts';
import { subjectOf, type Wish } from '#shared/adapters/image-trust/subject.ts';
import { parseImage } from '#shared/domain/image.ts';
import type { Verdict } from '#shared/domain/image-trust/verdict.ts';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import { rules } from '#test/support/image-trust/judging.ts';

const digest = `sha256:${'a'.repeat(64)}`;

const never = { firstMs: 1_000_000, mostMs: 1_000_000 };

/** A replica that waits for one who holds the claim, and never looks by itself unless it is told. */
function waiting(store: VerdictStore, looks = never) {
  const parsed = parseImage(`registry.example/team/app@${digest}`);
  if (!parsed.ok) throw new Error(parsed.why);
  const signed = parsed.image;
  const { imageTrust } = settingsFixed().current();
  const forbidden = () => Promise.reject(new Error('nobody outside is to be asked'));
  const askable: Askable = {
    settings: imageTrust,
    files: { textOf: () => undefined, hashOf: () => '' },
    registry: { manifest: forbidden, referrers: forbidden, blob: forbidden },
    provers: { notary: { reads: 'repository', prove: forbidden } },
  } as unknown as Askable;
  const subject = subjectOf(rules.verifiers[0], {
    signed,
    pulled: signed,
    owner: 'platform',
    askable,
  });
  const wish: Wish = {
    ...{
      tag: undefined,
      digest,
      signed,
      pulled: signed,
      isWhole: true,
      logins: [],
      account: nobody,
    },
    configuration: undefined,
    shown: undefined,
  };
  const parts = {
    ...{ store, askable: () => askable, chance: () => 0.5, leaseMs: () => 60_000, boundMs: 60_000 },
    patienceMs: 2_000,
    clock: clockAt('2030-01-01T00:00:00Z'),
    originOf: async () => () => ({ kind: 'itself' }) as const,
    loginsOf: async () => [],
    threw: () => undefined,
  };
  const { verify, recall } = openCollections(parts as never, attempts(), looks);
  return {
    subject,
    wish,
    verify: (of = wish) => verify({ subject, isDryRun: false, askable }, of),
    recall,
  };
}

const verdict = {
  ...{ tag: undefined, digest, also: [] },
  judgement: { kind: 'untrusted', why: 'not-signed', note: 'nobody signed it' },
  freshUntil: new Date('2030-01-01T00:05:00Z'),
  validUntil: new Date('2030-01-01T00:05:00Z'),
} as const;

describe('a replica that waits for another one', () => {
  it('is called when the claim is given back, and is told what the other found out', async () => {
    const store = verdictsInMemory().open();
    const { subject, verify } = waiting(store);
    await store.claim(subject.collection, 'other', 60_000);
    const told = verify();
    await store.keep(subject.collection, [verdict], { root: '', isChange: false, before: [] });
    await store.release(subject.collection, 'other');
    expect(await told).toEqual(verdict);
  });

  it('waits once for all, though it has looked already and others were refused before', async () => {
    const { claim, find, ...rest } = verdictsInMemory().open();
    const holders = new Set<string>();
    let finds = 0;
    const store: VerdictStore = {
      ...rest,
      claim: (collection, holder, leaseMs) => {
        holders.add(holder);
        return claim(collection, holder, leaseMs);
      },
      find: (...given) => {
        finds += 1;
        return find(...given);
      },
    };
    const { subject, wish, verify, recall } = waiting(store, { firstMs: 1, mostMs: 5 });
    const keep = (all: readonly Verdict[]) =>
      store.keep(subject.collection, all, { root: '', isChange: false, before: [] });
    const refused = Array.from({ length: 20 }, (_, at) => ({ ...wish, tag: `${at}` }));
    const freshUntil = new Date('2029-12-31T23:59:00Z');
    await keep(refused.map(({ tag }) => ({ ...verdict, tag, freshUntil })));
    for (const each of refused) {
      expect(await recall(subject, each)).toMatchObject({ judgement: { kind: 'untrusted' } });
    }
    await store.claim(subject.collection, 'other', 60_000);
    finds = 0;
    const first = verify();
    await expect.poll(() => finds, { interval: 1 }).toBeGreaterThan(1);
    const told = [first, ...refused.map((each) => verify(each))];
    await keep([verdict, ...refused.map(({ tag }) => ({ ...verdict, tag }))]);
    await store.release(subject.collection, 'other');
    expect((await Promise.all(told)).map(({ judgement }) => judgement.kind)).toEqual(
      told.map(() => 'untrusted'),
    );
    expect(holders.size).toBe(2);
  });

  it.each([
    ['once for all who want to know what is there', [verdict], 1],
    ['once more for those who came after it had begun to find nothing', [], 2],
  ] as const)('asks the store %s', async (_, kept, times) => {
    const { find, ...rest } = verdictsInMemory().open();
    let finds = 0;
    const store: VerdictStore = {
      ...rest,
      find: (...given) => {
        finds += 1;
        return find(...given);
      },
    };
    const { subject, wish, recall } = waiting(store);
    await store.keep(subject.collection, kept, { root: '', isChange: false, before: [] });
    const told = await Promise.all(Array.from({ length: 50 }, () => recall(subject, wish)));
    expect(told).toEqual(told.map(() => kept[0]));
    expect(finds).toBe(times);
  });

  it('misses nothing that was kept after the read that is under way had begun', async () => {
    const { find, ...rest } = verdictsInMemory().open();
    const kept = Promise.withResolvers<void>();
    const store: VerdictStore = {
      ...rest,
      find: async (...given) => {
        const found = await find(...given);
        await kept.promise;
        return found;
      },
    };
    const { subject, wish, recall } = waiting(store);
    const before = recall(subject, wish);
    await store.keep(subject.collection, [verdict], { root: '', isChange: false, before: [] });
    const after = recall(subject, wish);
    kept.resolve();
    expect(await before).toBeUndefined();
    expect(await after).toEqual(verdict);
  });
});
