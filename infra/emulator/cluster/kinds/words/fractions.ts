import { child, type Place } from './place.ts';
import { nanoOf } from './quantity.ts';

/** Warnings of bytes that are no whole ones. */
export function fractions(at: Place, names: readonly string[]): readonly string[] {
  return names
    .map((name) => ({ path: `${at.path}[${name}]`, value: child(at, name).value }))
    .filter(({ value }) => nanoOf(value) % nanoOf(1) !== 0n)
    .map(
      ({ path, value }) =>
        `${path}: fractional byte value ${JSON.stringify(value)} is invalid, must be an integer`,
    );
}
