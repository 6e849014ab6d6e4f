import { expect, it } from 'vitest';
import { openAudit } from '#events/forwarder/audit.ts';
import type { Transaction } from '#events/forwarder/ports.ts';
import { openTurns } from '#events/forwarder/turns.ts';
import type { Writer } from '#events/forwarder/writer.ts';
import { pods } from '#shared/domain/kind.ts';

const auditMs = 1_000;

/** An empty collection, at whatever version the server is. */
function serverAt(version: string) {
  const state = { version, nowMs: 0, lists: 0, audited: 0 };
  const transaction = { versions: async () => [] } as unknown as Transaction;
  const world = {
    stream: {
      async list() {
        state.lists += 1;
        return { kind: 'page', resourceVersion: state.version, bytes: 1, objects: [] };
      },
    },
    store: {
      transact: async (_: unknown, work: (each: Transaction) => Promise<unknown>) => ({
        kind: 'committed',
        value: await work(transaction),
      }),
    },
    pace: { auditMs, pageLimit: 250, batchLimit: 500, idleMs: 120_000 },
    now: () => state.nowMs,
    random: () => 0,
    tell: ({ kind }: { readonly kind: string }) => {
      if (kind === 'audited') state.audited += 1;
    },
  };
  const scope = { followed: { scope: { kind: pods } }, term: { scope: 'pods' }, memory: {} };
  return { state, writer: { ...scope, world } as unknown as Writer };
}

it('an audit whose list is of a history that is over begins anew', async () => {
  const { state, writer } = serverAt('1000');
  const audit = openAudit(writer.world, openTurns(writer.world));
  const at = (resourceVersion: string) => ({ resourceVersion });
  state.nowMs = auditMs;
  await audit.step({ epoch: 1, generation: 1, at: at('990') }, writer);
  expect(state).toMatchObject({ lists: 1, audited: 0 });

  state.version = '300';
  const restored = { epoch: 2, generation: 2, at: at('300') };
  state.nowMs += 2 * auditMs;
  for (let count = 0; count < 2; count += 1) await audit.step(restored, writer);
  expect(state).toMatchObject({ lists: 2, audited: 1 });
});
