import { defineReconcile } from '#shared/define.ts';
import { clusterTrustBundles } from '#shared/domain/kind.ts';
import { done } from '#shared/domain/outcome.ts';
import {
  bundleCondition,
  bundleMeasure,
} from '#shared/domain/pod-bootstrap/housekeeping/bundle-wanted.ts';
import {
  configurationHash,
  configurationName,
  houseOf,
} from '#shared/domain/pod-bootstrap/housekeeping/house.ts';

/** Notes what pods are to have from now on. `restart-pod` is woken by the bundle as well, and waits until all know it. */
export default defineReconcile({
  name: 'follow-trust-bundle',
  capability: 'pod-bootstrap',
  summary: 'Notes since when the trust bundle is what it is, and says whether it is there.',
  trigger: { watch: { of: clusterTrustBundles }, everySeconds: 60 },
  uses: ['clock', 'settings', 'bootstrapDocument', 'restarts', 'conditions', 'measures'],
  deadlineMs: 10_000,
  async handler(_wake, { clock, settings, bootstrapDocument, restarts, conditions, measures }) {
    const house = await houseOf(settings.current(), bootstrapDocument, clock.now());
    // First, for what was read is true although the database takes no note of it.
    conditions.report(bundleCondition(house));
    measures.report('pod_bootstrap_trust_bundle', bundleMeasure(house));
    const hash = await configurationHash(house, bootstrapDocument);
    if (hash !== undefined) await restarts.ageMs(configurationName, hash);
    if (house?.bundle !== undefined && house.trustBundle.kind === 'present') {
      await restarts.ageMs(house.bundle, house.trustBundle.hash);
    }
    return done;
  },
});
