import { afterEach, describe, expect, it } from 'vitest';
import type { Relayed } from '#events/sqs-queue/relay.ts';
import type { Outages } from '#shared/runtime/worker/outage.ts';
import { startRelaying } from '#shared/runtime/worker/relaying.ts';
import { logRecorded } from '#test/support/running.ts';
import { eventually } from '#test/support/working.ts';

const outages: Outages = { through: (work) => work(), isAway: () => false };
const refused = (...reasons: readonly string[]): Relayed => {
  return { sent: 0, failed: reasons.map((why, at) => ({ id: `${at}`, why })) };
};
const endings: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

/** Each turn has the next of these answers, and then the last one. */
function relaying(answers: readonly Relayed[]) {
  const log = logRecorded();
  let turns = 0;
  const signs: string[] = [];
  const { stop } = startRelaying({
    async relay(onStep) {
      onStep();
      return answers[Math.min(turns++, answers.length - 1)] ?? refused();
    },
    vigil: { sign: () => void signs.push('step'), leave: () => void signs.push('over') },
    ...{ outages, log, lookAgainMs: 1, refusedPauseMs: 1 },
  });
  endings.push(stop);
  const said = () =>
    log.lines.map(({ level, fields }) => [level, fields['refused'], fields['why']]);
  return { stop, turns: () => turns, said, signs };
}

describe('the relaying of a process', () => {
  it('goes on, whatever SQS refuses', async () => {
    const { turns } = relaying([refused('too long'), refused()]);
    await eventually(() => expect(turns()).toBeGreaterThan(3));
  });

  it('says what is refused once, however often it is tried, and again when it comes back', async () => {
    const { turns, said } = relaying([
      refused('no queue', 'no queue', 'too long'),
      refused('no queue'),
      refused(),
      refused('too long'),
    ]);
    await eventually(() => expect(turns()).toBeGreaterThan(6));
    expect(said()).toEqual([
      ['warn', 2, 'no queue'],
      ['warn', 1, 'too long'],
      ['warn', 1, 'too long'],
    ]);
  });

  it('gives a sign of life with each try and each step, until it is over', async () => {
    const { turns, stop, signs } = relaying([refused('no queue')]);
    await eventually(() => expect(turns()).toBeGreaterThan(3));
    await stop();
    expect(signs).toEqual([...Array.from({ length: 2 * turns() }, () => 'step'), 'over']);
  });

  it('ends with the turn under way', async () => {
    const { turns, stop } = relaying([refused()]);
    await eventually(() => expect(turns()).toBeGreaterThan(1));
    await stop();
    const before = turns();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(turns()).toBe(before);
  });
});
