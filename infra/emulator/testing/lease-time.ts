import { longestLeaseMs } from '#shared/domain/forwarder.ts';

/** As `isRunning` of the adapter has it: later than any can be is over as well. */
export function isRunning(untilMs: number, nowMs: number): boolean {
  return untilMs > nowMs && untilMs <= nowMs + longestLeaseMs;
}
