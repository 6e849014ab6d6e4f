import { expect, it } from 'vitest';
import { openAudit } from '#events/forwarder/audit.ts';
import { compare } from '#events/forwarder/comparing.ts';
import type { Transaction } from '#events/forwarder/ports.ts';
import { openTurns } from '#events/forwarder/turns.ts';
import type { Writer } from '#events/forwarder/writer.ts';
import { pods } from '#shared/domain/kind.ts';
import type { Row } from '#shared/domain/mirrored.ts';
import { pod, row } from './builders.ts';

const cursor = { epoch: 1, generation: 1, at: { resourceVersion: '9' } } as const;

/** More than one audit holds in memory: they are gone through in two slices. */
const uids = Array.from({ length: 20_001 }, (_, at) => at.toString(16).padStart(6, '0'));

type Find = (uids: readonly string[]) => readonly Row[];

/** A list at version 7, and of the mirror the rows that are read in pages, and those that are asked for by uid. */
function writerOver(living: readonly Row[], find: Find): Writer {
  let now = 0;
  const objects = uids.map((uid) => {
    const { metadata, ...object } = pod();
    return { ...object, metadata: { ...metadata, uid, resourceVersion: '5' } };
  });
  const transaction = {
    versions: async ({ after }: { after: string }) => (after === '' ? living : []),
    versionsOf: async (wanted: readonly string[]) => find(wanted),
  } as unknown as Transaction;
  return {
    world: {
      stream: { list: async () => ({ kind: 'page', resourceVersion: '7', bytes: 1, objects }) },
      store: {
        transact: async (_: unknown, work: (each: Transaction) => Promise<unknown>) => ({
          kind: 'committed',
          value: await work(transaction),
        }),
      },
      pace: { auditMs: 1_000, pageLimit: 250, batchLimit: 500, idleMs: 120_000 },
      now: () => {
        now += 2_000;
        return now;
      },
      random: () => 0,
      tell: () => undefined,
    },
    followed: { scope: { kind: pods } },
    term: { scope: 'pods' },
    memory: {},
  } as unknown as Writer;
}

it('says of a restore again what was not answered, and not only after all other slices', async () => {
  const known = { ...row({ version: 6 }), uid: uids[0] ?? '' };
  const writer = writerOver([known], (wanted) => wanted.map((uid) => ({ ...known, uid })));
  const audit = openAudit(writer.world, openTurns(writer.world));
  const concluded: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    await audit.step(cursor, writer);
    concluded.push(await audit.step(cursor, writer));
  }
  expect(concluded).toEqual(['on', 'went-back', 'went-back']);
});

it('asks for a crowd that went since the list in parts, and calls none of them lost', async () => {
  const tombstone = { ...row({ version: 8 }), isDeleted: true };
  const asked: number[] = [];
  const writer = writerOver([], (wanted) => {
    asked.push(wanted.length);
    return wanted.map((uid) => ({ ...tombstone, uid }));
  });
  const audit = openAudit(writer.world, openTurns(writer.world));
  const concluded: string[] = [];
  for (let count = 0; count < 4; count += 1) concluded.push(await audit.step(cursor, writer));
  expect(concluded).toEqual(['on', 'on', 'on', 'on']);
  expect(asked.reduce((sum, count) => sum + count, 0)).toBe(uids.length);
  expect(Math.max(...asked)).toBeLessThanOrEqual(500);
});

it('keeps of a suspect where it is, and not the whole of it', async () => {
  const { uid, namespace, name, resourceVersion, ...rest } = row({ version: 6 });
  const writer = writerOver([{ uid, namespace, name, resourceVersion, ...rest }], () => []);
  const listing = { version: '7', found: new Map() };
  const suspects = await compare({ listing, slice: { of: 1, index: 0 }, cursor }, writer);
  const at = { namespace, name, resourceVersion };
  expect(suspects).toEqual(new Map([[uid, { why: 'undeleted', at }]]));
});
