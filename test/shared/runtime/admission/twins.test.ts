import { describe, expect, it } from 'vitest';
import { findOwnParts } from '#shared/runtime/admission/own-parts.ts';
import { openTwins, type Twin } from '#shared/runtime/admission/twins.ts';
import { podWith } from '#test/support/admission.ts';
import { second, sent } from './recalling/api-server.ts';

function twin(value: string, size = 1): Twin<string> {
  const bytes = sent(podWith(value));
  return { bytes, parts: findOwnParts(bytes) ?? [], value, size };
}

/** What comes of the same template. */
function later(value: string): Buffer {
  return sent(podWith(value), { own: second });
}

const anyone = () => true;

function holding(most: number, ...kept: readonly Twin<string>[]) {
  const twins = openTwins<string>({ most });
  for (const each of kept) twins.keep(each);
  return (value: string) => twins.find(later(value), anyone)?.value;
}

describe('twins', () => {
  it('are found by what they share, whoever was kept beside them', () => {
    const found = holding(9, twin('a'), twin('b'), twin('longer'));
    expect(['a', 'b', 'longer', 'c'].map(found)).toEqual(['a', 'b', 'longer', undefined]);
  });

  it('are found only where they are meant', () => {
    const twins = openTwins<string>({ most: 9 });
    twins.keep(twin('a'));
    expect(twins.find(later('a'), (value) => value === 'b')).toBeUndefined();
  });

  it('are forgotten once others have come, those that were asked for the longest ago first', () => {
    const twins = openTwins<string>({ most: 3 });
    for (const value of ['a', 'bb', 'ccc']) twins.keep(twin(value));
    twins.find(later('a'), anyone);
    twins.keep(twin('dddd'));
    const left = ['a', 'bb', 'ccc', 'dddd'].filter((value) => twins.find(later(value), anyone));
    expect(left).toEqual(['a', 'ccc', 'dddd']);
  });

  it('make room for a large one, and for none that is larger than all the room', () => {
    const found = holding(5, twin('a', 2), twin('bb', 2), twin('ccc', 4));
    expect(['a', 'bb', 'ccc'].map(found)).toEqual([undefined, undefined, 'ccc']);
    expect(holding(5, twin('a', 6))('a')).toBeUndefined();
  });

  it('are held in a bounded number where all have one length', () => {
    const values = Array.from({ length: 40 }, (_, index) => String(index + 10));
    const found = holding(1_000, ...values.map((value) => twin(value)));
    expect(values.filter((value) => found(value) !== undefined)).toEqual(values.slice(-16));
  });

  it('are forgotten when somebody says so, once', () => {
    const twins = openTwins<string>({ most: 2 });
    const [one, other] = [twin('a'), twin('b')];
    twins.keep(one);
    twins.forget(one);
    twins.forget(one);
    for (const each of [other, twin('c')]) twins.keep(each);
    expect(twins.find(later('a'), anyone)).toBeUndefined();
    expect(twins.find(later('b'), anyone)?.value).toBe('b');
    twins.keep(twin('d'));
    expect(twins.find(later('c'), anyone)).toBeUndefined();
  });
});
