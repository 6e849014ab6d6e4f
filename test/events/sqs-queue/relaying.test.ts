import { describe, expect, it } from 'vitest';
import type { Relayed } from '#events/sqs-queue/relay.ts';
import { startRelaying } from '#events/sqs-queue/relaying.ts';
import { timelineFrom } from '#infra/emulator/testing/queue/timeline.ts';

const good: Relayed = { sent: 1, failed: [] };

describe('relaying', () => {
  it('runs at once and then again and again', async () => {
    const { advance, runs } = started([]);
    await settled();
    for (const _ of [1, 2, 3]) {
      advance(250);
      await settled();
    }
    expect(runs()).toBe(4);
  });

  it('runs at once when it is nudged', async () => {
    const { relaying, runs } = started([]);
    await settled();
    relaying.nudge();
    expect(runs()).toBe(2);
  });

  it('runs again at once after a run during which it was nudged', async () => {
    const { relaying, advance, runs } = started([]);
    relaying.nudge();
    await settled();
    advance(0);
    expect(runs()).toBe(2);
  });

  it.each([
    ['SQS is away', new Error('away')],
    ['SQS did not take a message', { sent: 0, failed: [{ id: 'm1', why: 'too long' }] }],
  ])('waits longer and longer while %s, however often it is nudged', async (_, answer) => {
    const { relaying, advance, runs, troubles } = started([answer, answer, answer]);
    await settled();
    relaying.nudge();
    advance(499);
    await settled();
    expect(runs()).toBe(1);
    for (const ms of [501, 2_000, 4_000]) {
      advance(ms);
      await settled();
    }
    expect(runs()).toBe(4);
    expect(troubles()).toBe(3);
    relaying.nudge();
    expect(runs()).toBe(5);
  });

  it('runs no more after it was stopped, and stops after the run under way', async () => {
    const { relaying, advance, runs } = started([]);
    await relaying.stop();
    relaying.nudge();
    advance(10_000);
    await settled();
    expect(runs()).toBe(1);
  });
});

function started(answers: readonly (Relayed | Error)[]) {
  const { after, advance } = timelineFrom(0);
  let runs = 0;
  let troubles = 0;
  const relay = async (): Promise<Relayed> => {
    const answer = answers[runs++] ?? good;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const onTrouble = () => {
    troubles++;
  };
  const relaying = startRelaying({ relay, after, random: () => 0, onTrouble });
  return { relaying, advance, runs: () => runs, troubles: () => troubles };
}

/** Everything that waits for nothing but its turn has had it. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
