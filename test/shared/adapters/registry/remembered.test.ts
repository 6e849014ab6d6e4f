import { describe, expect, it } from 'vitest';
import { remembered } from '#shared/adapters/registry/remembered.ts';

describe('what a registry said a moment ago', () => {
  it.each([
    ['as long as it was to', 1_029_999, 'busy'],
    ['no longer', 1_030_000, undefined],
    ['not while a clock that was put back comes to it again', 999_999, undefined],
  ])('holds %s', (_, later, expected) => {
    const time = { now: 1_000_000 };
    const kept = remembered<string>(() => time.now);
    kept.keep('registry.example', 'busy', 30);
    time.now = later;
    expect(kept.find('registry.example')).toBe(expected);
  });
});
