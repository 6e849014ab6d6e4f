import { expect, it } from 'vitest';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';

it('stands still until it is told to go on', () => {
  const clock = clockAt('2030-01-01T00:00:00Z');
  expect(clock.now()).toEqual(new Date('2030-01-01T00:00:00Z'));
  clock.advanceMs(1_500);
  expect(clock.now().toISOString()).toBe('2030-01-01T00:00:01.500Z');
  clock.setTo('2031-01-01T00:00:00Z');
  expect(clock.now().toISOString()).toBe('2031-01-01T00:00:00.000Z');
});

it('hands out a time that nobody can move', () => {
  const clock = clockAt('2030-01-01T00:00:00Z');
  clock.now().setFullYear(1970);
  expect(clock.now().getFullYear()).toBe(2030);
});

it('refuses what is no date', () => {
  expect(() => clockAt('tomorrow')).toThrow('not a date: tomorrow');
});
