import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { openTeller } from '#shared/runtime/forwarding/telling.ts';
import { logRecorded } from '#test/support/running.ts';

it('a forwarder is ready although a kind that it would follow is served by nobody', () => {
  const teller = openTeller(logRecorded(), new Registry(), () => 0);
  const [bundles, pods] = ['clustertrustbundles.certificates.k8s.io', 'pods'];
  teller.tell({ kind: 'watching', scope: pods });
  expect(teller.isFollowing([bundles, pods])).toBe(false);

  teller.tell({ kind: 'absent', scope: bundles, why: 'nobody serves it' });
  expect(teller.isFollowing([bundles, pods])).toBe(true);

  teller.tell({ kind: 'listing', scope: bundles, why: 'it is served' });
  expect(teller.isFollowing([bundles, pods])).toBe(false);
});
