import type { Environment } from '@marcbachmann/cel-js';
import type { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { timeText } from './formatting.ts';

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
  to.registerFunction('string(google.protobuf.Timestamp): string', timeText);
  to.registerFunction('string(google.protobuf.Duration): string', (span: Duration) => String(span));
  to.registerFunction('int(uint): int', (value: UnsignedInt) => value.valueOf());
}
