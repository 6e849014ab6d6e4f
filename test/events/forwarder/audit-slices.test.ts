import { expect, it } from 'vitest';
import { openAudit } from '#events/forwarder/audit.ts';
import type { Transaction } from '#events/forwarder/ports.ts';
import type { Writer } from '#events/forwarder/writer.ts';
import { pods } from '#shared/domain/kind.ts';
import type { Row } from '#shared/domain/mirrored.ts';
import { pod, row } from './builders.ts';

const cursor = { epoch: 1, generation: 1, at: { resourceVersion: '9' } } as const;

/** More than one audit holds in memory: they are gone through in two slices. */
const uids = Array.from({ length: 20_001 }, (_, at) => at.toString(16).padStart(6, '0'));

/** A list at version 7, where the mirror has the first of them at version 6 already. */
function writerOver(known: Row): Writer {
  let now = 0;
  const objects = uids.map((uid) => {
    const { metadata, ...object } = pod();
    return { ...object, metadata: { ...metadata, uid, resourceVersion: '5' } };
  });
  const transaction = {
    page: async ({ after }: { after: string }) => (after === '' ? [known] : []),
    find: async (wanted: { uids: readonly string[] }) =>
      wanted.uids.map((uid) => ({ ...known, uid })),
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
      pace: { auditMs: 1_000, pageLimit: 250 },
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
  const writer = writerOver(known);
  const audit = openAudit(writer.world);
  const concluded: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    await audit.step(cursor, writer);
    concluded.push(await audit.step(cursor, writer));
  }
  expect(concluded).toEqual(['on', 'went-back', 'went-back']);
});
