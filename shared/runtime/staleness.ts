import { Gauge, type Registry } from 'prom-client';

/** What the caches over the mirror are worth at the moment. */
export type Staleness = {
  /** Since the last answered heartbeat was sent; infinite where there is none. */
  readonly beatAgeMs: number;
  readonly kinds: readonly { readonly resource: string; readonly isStale: boolean }[];
};

/** Looked at only when somebody scrapes. */
export function measureStaleness(registry: Registry, staleness: () => Promise<Staleness>): void {
  new Gauge({
    name: 'gatehouse_mirror_heartbeat_seconds',
    help: 'Age of the last heartbeat of the mirror: as old at most are the caches that are not stale.',
    registers: [registry],
    async collect() {
      this.set((await staleness()).beatAgeMs / 1_000);
    },
  });
  new Gauge({
    name: 'gatehouse_mirror_stale',
    help: 'By kind, 1 while the caches do not answer and the cluster itself is asked.',
    labelNames: ['resource'],
    registers: [registry],
    async collect() {
      for (const { resource, isStale } of (await staleness()).kinds) {
        this.set({ resource }, isStale ? 1 : 0);
      }
    },
  });
}
