import { describe, expect, it } from 'vitest';
import { isRefusal } from '#infra/emulator/cluster/refusal.ts';
import { done } from './differential/deed.ts';
import { kinds } from './differential/kinds.ts';
import { recordedLives } from './differential/recorded.ts';
import { verdictOn } from './differential/verdict.ts';

describe('patching, as a real kube-apiserver was recorded', () => {
  it.each(recordedLives().map((life) => [life.title, life] as const))('%s', (_, life) => {
    const kind = kinds.find((each) => each.kind === life.kind) ?? expect.fail('no such kind');
    for (const { step, real, before, object, asked } of life.deeds) {
      const deed = { kind, name: life.name, step, before, real, asked: new Date(asked) };
      const ours = done(deed);
      const verdict = verdictOn(deed, ours, undefined);
      expect(verdict.kind === 'different' ? { step, verdict } : undefined).toBeUndefined();
      expect(isRefusal(ours) ? undefined : ours.object).toEqual(object);
    }
  });

  it('holds what there is to hold: applies, updates and patches, refused ones too', () => {
    const deeds = recordedLives().flatMap((life) => life.deeds);
    expect(deeds.length).toBeGreaterThan(160);
    expect(deeds.filter(({ real }) => real.code >= 300).length).toBeGreaterThan(50);
  });
});
