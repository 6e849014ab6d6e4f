import { describe, expect, it } from 'vitest';
import restartPod from '#functions/pod-bootstrap/restart-pod.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { everySecondsOf } from '#shared/runtime/every-seconds.ts';

describe('the period of a function', () => {
  it.each([
    ['is what its trigger says', { everySeconds: 60 }, 60],
    ['is none where it has none', {}, undefined],
  ])('%s', (_, trigger, expected) => {
    expect(everySecondsOf(trigger, settingsFixed().current())).toBe(expected);
  });

  it.each([null, '60s', 'abc', 1.5, 0, -5, 604_801, {}])(
    'is its fallback where the settings say %j',
    (said) => {
      const trigger = { everySeconds: { setting: 'custom.sweep.everySeconds', fallback: 60 } };
      const custom = { sweep: { everySeconds: said } };
      expect(everySecondsOf(trigger, settingsFixed({ custom }).current())).toBe(60);
    },
  );

  it('is what the settings say, where the trigger leaves it to them: ten minutes of restart-pod', () => {
    const { trigger } = restartPod;
    expect(everySecondsOf(trigger, settingsFixed().current())).toBe(600);
    const restart = { everySeconds: 1_800 };
    expect(everySecondsOf(trigger, settingsFixed({ podBootstrap: { restart } }).current())).toBe(
      1_800,
    );
  });
});
