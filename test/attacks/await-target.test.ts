import { expect, it } from 'vitest';
import { awaitTarget } from './await-target.ts';
import type { Admitted, Asked, Stage, StatedNamespace } from './vector.ts';

const namespaces: readonly StatedNamespace[] = ['attack-1-system', 'attack-1-last'].map((name) => ({
  ...{ name, labels: {}, annotations: {} },
}));

/** The target as it is at each question. */
async function waitedFor(...answers: readonly ((asked: Asked) => boolean)[]) {
  const told: string[] = [];
  const turn = { at: 0 };
  const admit = async (asked: Asked): Promise<Admitted> => {
    const answer = answers[Math.min(turn.at++, answers.length - 1)];
    if (answer === undefined) throw new Error('nobody');
    return { admitted: answer(asked), said: 'as it is', object: asked.object };
  };
  // Nothing of it is looked at.
  const stage = { admit, outside: undefined } as unknown as Stage;
  const isReady = await awaitTarget({ namespaces }, stage, {
    waitMs: 0,
    told: (why) => told.push(why),
  });
  return { isReady, told };
}

const failing =
  (code: string): (() => boolean) =>
  () => {
    throw Object.assign(new Error('it did not work'), { code });
  };

it.each<[string, readonly (() => boolean)[], string]>([
  ['refuses what is signed', [() => false], 'refused, in attack-1-system: as it is'],
  ['admits what nobody signed', [() => true], 'are the namespaces there'],
  ['is not there', [failing('ECONNREFUSED')], 'nobody listens there'],
  ['is of an unknown authority', [failing('SELF_SIGNED_CERT_IN_CHAIN')], '--ca'],
  ['is of another name', [failing('ERR_TLS_CERT_ALTNAME_INVALID')], '--servername'],
  ['says something else', [failing('EOTHER')], 'it did not work'],
])('a target that %s is not ready, and it is told why', async (_, answers, why) => {
  expect(await waitedFor(...answers)).toEqual({
    isReady: false,
    told: [expect.stringContaining(why)],
  });
});

it('a target that admits what is signed and refuses what is not is ready', async () => {
  const ready = await waitedFor(
    () => true,
    () => false,
  );
  expect(ready).toEqual({ isReady: true, told: [] });
});
