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
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import { rules } from '#test/support/image-trust/judging.ts';

const digest = `sha256:${'a'.repeat(64)}`;

/** A replica that waits for one who holds the claim, and never looks by itself. */
function waiting(store: VerdictStore) {
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
  };
  const parts = {
    ...{ store, askable: () => askable, chance: () => 0.5, leaseMs: () => 60_000, boundMs: 60_000 },
    patienceMs: 2_000,
    clock: clockAt('2030-01-01T00:00:00Z'),
    originOf: async () => () => ({ kind: 'itself' }) as const,
    loginsOf: async () => [],
  };
  const never = { firstMs: 1_000_000, mostMs: 1_000_000 };
  const { verify, recall } = openCollections(parts as never, attempts(), never);
  return {
    subject,
    wish,
    verify: () => verify({ subject, isDryRun: false, askable }, wish),
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
