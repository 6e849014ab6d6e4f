import { expect, it } from 'vitest';
import { type Audit, openAudit } from '#events/forwarder/audit.ts';
import type { Transaction } from '#events/forwarder/ports.ts';
import { openTurns } from '#events/forwarder/turns.ts';
import type { Writer } from '#events/forwarder/writer.ts';
import { pods } from '#shared/domain/kind.ts';
import { pod } from './builders.ts';

const auditMs = 1_000;
const idleMs = 120_000;
const listedAt = '7';
const cursorAt = (resourceVersion: string) =>
  ({ epoch: 1, generation: 1, at: { resourceVersion } }) as const;
const behind = cursorAt('6');
const caughtUp = cursorAt('8');

/** Audits of one process, each of a kind with so many objects. All are due. */
function processOf(...sizes: readonly number[]) {
  const told: string[] = [];
  const state = { nowMs: auditMs };
  const turns = openTurns({ now: () => state.nowMs, pace: { idleMs } as never });
  const audits = sizes.map((size, index) => {
    const writer = writerOf(size, `kind-${index}`);
    return { audit: openAudit({ ...writer.world, now: () => 0 }, turns), writer };
  });

  function writerOf(size: number, name: string): Writer {
    const objects = Array.from({ length: size }, (_, at) =>
      pod({ uid: at.toString(16).padStart(6, '0') }),
    );
    const transaction = {
      versions: async () => [],
      versionsOf: async () => [],
    } as unknown as Transaction;
    return {
      world: {
        stream: {
          async list() {
            told.push(`${name} listed`);
            return { kind: 'page', resourceVersion: listedAt, bytes: 1, objects };
          },
        },
        store: {
          transact: async (_: unknown, work: (each: Transaction) => Promise<unknown>) => ({
            kind: 'committed',
            value: await work(transaction),
          }),
        },
        pace: { auditMs, pageLimit: 250, batchLimit: 500, idleMs },
        now: () => state.nowMs,
        random: () => 0,
        tell: ({ kind }: { readonly kind: string }) => {
          if (kind === 'audited') told.push(`${name} audited`);
        },
      },
      followed: { scope: { kind: pods } },
      term: { scope: name },
      memory: {},
    } as unknown as Writer;
  }

  async function step(cursor: Parameters<Audit['step']>[0], ...which: readonly number[]) {
    for (const index of which) {
      const each = audits[index];
      if (each !== undefined) await each.audit.step(cursor, each.writer);
    }
    return told.splice(0);
  }

  return {
    step,
    end: (index: number) => audits[index]?.audit.end(),
    sleep(ms: number) {
      state.nowMs += ms;
    },
  };
}

it('of the long lists one is held at a time: the next audit begins when it is concluded', async () => {
  const { step } = processOf(1_001, 1_001);
  expect(await step(behind, 0, 1, 1)).toEqual(['kind-0 listed']);
  expect(await step(caughtUp, 0, 1)).toEqual(['kind-0 audited', 'kind-1 listed']);
});

it('a short list keeps nobody waiting while its watch catches up', async () => {
  const { step } = processOf(1_000, 1_000);
  expect(await step(behind, 0, 1)).toEqual(['kind-0 listed', 'kind-1 listed']);
  expect(await step(caughtUp, 1, 0)).toEqual(['kind-1 audited', 'kind-0 audited']);
});

it('a restore ends the turn of what it made worthless', async () => {
  const { step } = processOf(1_001, 1_001);
  await step(behind, 0);
  await step({ ...behind, epoch: 2 }, 0);
  expect(await step(behind, 1)).toEqual(['kind-1 listed']);
});

it('a loop that is stopped leaves its turn to others', async () => {
  const { step, end } = processOf(1_001, 1_001);
  await step(behind, 0);
  end(0);
  expect(await step(behind, 1)).toEqual(['kind-1 listed']);
});

it('whose watch never catches up loses its turn, and the list that it held', async () => {
  const { step, sleep } = processOf(1_001, 1_001);
  await step(behind, 0);
  sleep(2 * idleMs - 1);
  expect(await step(behind, 1)).toEqual([]);
  sleep(1);
  expect(await step(behind, 1)).toEqual(['kind-1 listed']);
  expect(await step(caughtUp, 0)).toEqual([]);
  expect(await step(caughtUp, 1, 0)).toEqual(['kind-1 audited', 'kind-0 listed']);
});
