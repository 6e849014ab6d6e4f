import { describe, expect, it } from 'vitest';
import { isDuration, parseDuration } from '#shared/domain/duration.ts';

describe('parseDuration', () => {
  it.each<[string, number]>([
    ['0', 0],
    ['+0', 0],
    ['-0', 0],
    ['0s', 0],
    ['-0s', 0],
    ['5s', 5_000],
    ['30s', 30_000],
    ['1478s', 1_478_000],
    ['-5s', -5_000],
    ['+5s', 5_000],
    ['5.0s', 5_000],
    ['5.6s', 5_600],
    ['5.s', 5_000],
    ['.5s', 500],
    ['1.004s', 1_004],
    ['100.00100s', 100_001],
    ['10ns', 0.000_01],
    ['11us', 0.011],
    ['12µs', 0.012],
    ['12μs', 0.012],
    ['13ms', 13],
    ['14s', 14_000],
    ['15m', 900_000],
    ['16h', 57_600_000],
    ['3h30m', 12_600_000],
    ['1h30m', 5_400_000],
    ['10.5s4m', 250_500],
    ['-2m3.4s', -123_400],
    ['1h2m3s4ms5us6ns', 3_723_004.005_006],
    ['39h9m14.425s', 140_954_425],
    ['8760h', 31_536_000_000],
    ['0.3333333333333333333h', 1_200_000],
    ['0.9ns', 0],
    ['0.000000015s', 0.000_015],
    ['0.009h', 32_400],
    ['2562047h47m16s', 9_223_372_036_000],
  ])('reads %s as Go does', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each([
    '',
    '3',
    '-',
    's',
    '.',
    '-.',
    '.s',
    '+.s',
    '1d',
    '1h 30m',
    ' 1h',
    '1h\n',
    '1,5h',
    '1e3s',
    '0x1s',
    '--1s',
    '1h-30m',
    '1S',
    '٣s',
    '3000000h',
    '9223372036855ms',
  ])('refuses %j as Go does', (text) => {
    expect(parseDuration(text)).toBeUndefined();
    expect(isDuration(text)).toBe(false);
  });

  it('takes no time over a text made to be slow', () => {
    const started = performance.now();
    expect(parseDuration(`${'1'.repeat(100_000)}x`)).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(500);
  });
});
