import type { Cluster, Write } from '#shared/define.ts';
import { defineReconcile } from '#shared/define.ts';
import { bundleCondition } from '#shared/domain/certificates/bundle-condition.ts';
import {
  bundledConfigurations,
  ownConfigurations,
  planBundles,
} from '#shared/domain/certificates/ca-bundle.ts';
import { servedNames } from '#shared/domain/certificates/policy.ts';
import { replicaLabels, replicasFrom } from '#shared/domain/certificates/replica.ts';
import { wantedAuthorities } from '#shared/domain/certificates/rotation-facts.ts';
import {
  certificatesSecret,
  labels,
  manager,
  webhookConfigurations,
} from '#shared/domain/installation.ts';
import { leases, mutatingWebhooks, secrets, validatingWebhooks } from '#shared/domain/kind.ts';
import { conflict, done, type Outcome, retry } from '#shared/domain/outcome.ts';
import type { Settings } from '#shared/domain/settings.ts';

const ours = { matchLabels: { [labels.managedBy]: manager } };

/** An installer that wipes the bundle is silent where webhooks fail open: so it is looked at all the time, and mended alone. */
export default defineReconcile({
  name: 'heal-ca-bundle',
  capability: 'certificates',
  summary: 'Keeps in every webhook configuration of ours the CAs that our replicas are trusted by.',
  deadlineMs: 20_000,
  trigger: {
    watch: [
      { of: mutatingWebhooks, labels: ours },
      { of: validatingWebhooks, labels: ours },
      // The first CA, and each that follows.
      { of: secrets, namespace: 'installation', name: certificatesSecret },
    ],
    everySeconds: 3,
  },
  uses: ['clock', 'settings', 'cluster', 'certificates', 'conditions'],
  access: [
    { kind: mutatingWebhooks, names: webhookConfigurations.mutating, verbs: ['get', 'patch'] },
    { kind: validatingWebhooks, names: webhookConfigurations.validating, verbs: ['get', 'patch'] },
    { kind: secrets, namespace: 'installation', names: [certificatesSecret], verbs: ['get'] },
    { kind: leases, namespace: 'installation', verbs: ['list'] },
  ],
  async handler(_wake, { clock, settings, cluster, certificates, conditions }) {
    const current = settings.current();
    // These first: what a bundle is made of must be newer than what it is written over.
    const found = await Promise.all(bundledConfigurations.map((each) => cluster.find(each)));
    const seen = await look(cluster, current);
    const authorities = wantedAuthorities(seen, certificates, clock.now());
    const names = servedNames(current);
    conditions.report(bundleCondition(found, authorities, names));

    const plans = planBundles(ownConfigurations(found), authorities, names);
    const writes = await Promise.all(
      plans.map(({ target, operations, resourceVersion }) =>
        cluster.patch(target, { type: 'json', operations }, { resourceVersion }),
      ),
    );
    return writes.map(outcomeOf).find(({ kind }) => kind !== 'done') ?? done;
  },
});

async function look(cluster: Cluster, { installation, certificates }: Settings) {
  const { namespace } = installation;
  const isOwn = certificates.source === 'self';
  const place = { kind: secrets, namespace, name: certificatesSecret };
  const secret = isOwn ? await cluster.find(place) : undefined;
  const found = cluster.list(leases, { namespace, labels: replicaLabels });
  return { secret, replicas: await replicasFrom(found) };
}

function outcomeOf(write: Write): Outcome {
  switch (write.kind) {
    case 'written':
      return done;
    case 'busy':
      return retry(write.why);
    case 'conflict':
      return conflict(write.why);
    case 'not-found':
      return conflict('a webhook configuration was deleted meanwhile');
  }
}
