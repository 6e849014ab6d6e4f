import type { Environment } from '@marcbachmann/cel-js';

/** A field of such a format is a moment or a span of time already: to make one of it changes nothing. */
export function registerTimes(to: Environment): void {
  for (const [name, type] of [
    ['timestamp', 'google.protobuf.Timestamp'],
    ['duration', 'google.protobuf.Duration'],
  ] as const) {
    to.registerFunction(`${name}(${type}): ${type}`, (value: unknown) => value);
  }
  to.registerFunction('int(google.protobuf.Timestamp): int', (at: Date) =>
    BigInt(Math.floor(at.getTime() / 1_000)),
  );
}
