import { Gauge, Histogram, type Registry } from 'prom-client';
import type { Told } from '#events/forwarder/told.ts';

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 30];

/**
 * How far the mirror is behind what was heard. The API server tells no moment of a change, so a line's time begins when
 * its batch has arrived, and ends with the commit; after a failure or a relist it goes on from the first arrival.
 */
export function openLag(registry: Registry, now: () => number) {
  const since = new Map<string, number | undefined>();
  const listing = new Set<string>();
  const seconds = commitSeconds(registry);
  const secondsOf = (scope: string) => {
    const from = since.get(scope);
    return from === undefined ? 0 : (now() - from) / 1_000;
  };
  gaugeOf(registry, since, secondsOf);

  const arrived = (scope: string, waitedMs: number) =>
    since.set(scope, since.get(scope) ?? now() - waitedMs);
  const settled = (scope: string) => {
    const from = since.get(scope);
    if (from === undefined) return;
    seconds.observe({ scope }, (now() - from) / 1_000);
    since.set(scope, undefined);
  };
  const forget = (scope: string) => {
    listing.delete(scope);
    since.delete(scope);
  };
  const hear = (told: Told): void => {
    const { scope } = told;
    switch (told.kind) {
      case 'heard':
        listing.delete(scope);
        arrived(scope, told.waitedMs);
        break;
      case 'listing':
        listing.add(scope);
        break;
      case 'listed':
        listing.delete(scope);
        settled(scope);
        break;
      case 'committed':
        // Pages of a list do not have what was heard, until all of them are there.
        if (!listing.has(scope)) settled(scope);
        break;
      // Somebody else writes it, or nobody serves it: nothing here is waited for any more.
      case 'fenced':
      case 'standing-by':
      case 'absent':
        forget(scope);
        break;
      default:
    }
  };
  return { hear, secondsOf, forget };
}

function commitSeconds(registry: Registry) {
  return new Histogram({
    name: 'gatehouse_forwarder_commit_seconds',
    help: 'From the arrival of a batch of lines to the commit that has them.',
    labelNames: ['scope'],
    buckets,
    registers: [registry],
  });
}

function gaugeOf(
  registry: Registry,
  since: ReadonlyMap<string, number | undefined>,
  secondsOf: (scope: string) => number,
) {
  return new Gauge({
    name: 'gatehouse_forwarder_lag_seconds',
    help: 'Since the arrival of the oldest lines that are not committed yet; 0 where none are.',
    labelNames: ['scope'],
    registers: [registry],
    collect() {
      this.reset();
      for (const scope of since.keys()) this.set({ scope }, secondsOf(scope));
    },
  });
}
