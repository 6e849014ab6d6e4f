import { setTimeout as after } from 'node:timers/promises';
import type { Fault } from '#test/bench/chaos/faults.ts';
import { noticed, sinceNoticed } from '#test/bench/chaos/noticed.ts';
import { type Site, wallMs } from '#test/bench/chaos/world.ts';
import type { KubeCluster } from './kube-cluster.ts';

/** What can be done to an API server from without. */
export const ofKube: readonly Fault<Site<KubeCluster>>[] = [
  {
    name: 'connections that break, and no new ones',
    async act(site) {
      site.cluster.way.cut();
      await after(site.waits.awayMs);
      site.cluster.way.mend();
      await noticed(site);
    },
  },
  {
    // It knows no past: a watch from before is refused with a 410, and what began and ended meanwhile nobody can know.
    name: 'an API server that is killed and starts again',
    before: sinceNoticed,
    async act(site, seenUpTo) {
      await site.cluster.restart();
      await noticed(site);
      site.checker.gap(seenUpTo, wallMs());
    },
  },
  {
    name: 'a past that etcd has compacted while nobody looked',
    before: sinceNoticed,
    async act(site, seenUpTo) {
      const { cluster, checker, waits } = site;
      cluster.way.cut();
      await after(waits.awayMs);
      await cluster.compact();
      // What it remembers goes with it.
      await cluster.restart();
      cluster.way.mend();
      await noticed(site);
      checker.gap(seenUpTo, wallMs());
    },
  },
  {
    // The last one: nothing that comes after it breaks them.
    name: 'half-open connections',
    async act({ cluster, waits }) {
      cluster.way.stall();
      await after(waits.idleMs * 1.5);
      cluster.way.mend();
    },
  },
];
