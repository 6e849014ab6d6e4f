import { describe, expect, it } from 'vitest';
import { type Audit, openAudit } from '#events/forwarder/audit.ts';
import { openTurns } from '#events/forwarder/turns.ts';
import type { Writer } from '#events/forwarder/writer.ts';
import { pods } from '#shared/domain/kind.ts';

const cursor = { epoch: 1, generation: 1, at: { resourceVersion: '9' } } as const;
const auditMs = 600_000;

/** When audits list, asked each second. */
function clockwork(chance: number) {
  let nowMs = 0;
  const lists: number[] = [];
  const world = {
    stream: {
      async list() {
        lists.push(nowMs);
        return { kind: 'busy', why: 'HTTP 503', afterSeconds: undefined };
      },
    },
    pace: { auditMs, pageLimit: 250, batchLimit: 500, idleMs: 120_000 },
    now: () => nowMs,
    random: () => chance,
    tell: () => undefined,
  };
  const writer = {
    world,
    followed: { scope: { kind: pods } },
    term: { scope: 'pods' },
    memory: {},
    signal: new AbortController().signal,
  } as unknown as Writer;
  return {
    world: writer.world,
    async run(audit: Audit, untilMs: number) {
      for (; nowMs <= untilMs; nowMs += 1_000) await audit.step(cursor, writer);
      return lists;
    },
    sleep(ms: number) {
      nowMs += ms;
    },
  };
}

describe('the first audit of a process', () => {
  it.each([
    [0, auditMs / 2],
    [0.5, (auditMs * 3) / 4],
  ])('comes at a moment of its own, with a chance of %d after %d ms', async (chance, firstMs) => {
    const clock = clockwork(chance);
    const lists = await clock.run(openAudit(clock.world, openTurns(clock.world)), 2 * auditMs);
    expect(lists.slice(0, 2)).toEqual([firstMs, firstMs + auditMs]);
  });

  it('comes within a tenth of the interval after a takeover by who stood by for long', async () => {
    const clock = clockwork(0.5);
    const audit = openAudit(clock.world, openTurns(clock.world));
    clock.sleep(10 * auditMs);
    audit.takeOver(clock.world);
    const lists = await clock.run(audit, 11 * auditMs);
    expect(lists[0]).toBe(10 * auditMs + auditMs / 20);
  });

  it('is not put off by takeovers', async () => {
    const clock = clockwork(0.5);
    const audit = openAudit(clock.world, openTurns(clock.world));
    clock.sleep(auditMs / 2);
    audit.takeOver(clock.world);
    expect((await clock.run(audit, auditMs))[0]).toBe((auditMs * 3) / 4);
  });
});
