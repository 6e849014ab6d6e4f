import type { Entry } from '#infra/emulator/cluster/ledger.ts';

/** In one order, whoever stored them. */
export function labelsText(labels: Entry['labels']): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.sort().join();
}
