import type { Certificates, Cluster, Target } from '#shared/define.ts';
import { defineReconcile } from '#shared/define.ts';
import { bundledConfigurations, ownConfigurations } from '#shared/domain/certificates/ca-bundle.ts';
import { policyFrom } from '#shared/domain/certificates/policy.ts';
import { replicaLabels, replicasFrom } from '#shared/domain/certificates/replica.ts';
import { planRotation } from '#shared/domain/certificates/rotation.ts';
import { rotationCondition } from '#shared/domain/certificates/rotation-condition.ts';
import { rotationFacts } from '#shared/domain/certificates/rotation-facts.ts';
import {
  afterStep,
  type Issued,
  type Order,
  orderFor,
} from '#shared/domain/certificates/rotation-step.ts';
import { contentsOf, secretWith, storedIn } from '#shared/domain/certificates/secret.ts';
import { certificatesSecret, webhookConfigurations } from '#shared/domain/installation.ts';
import { leases, mutatingWebhooks, secrets, validatingWebhooks } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { conflict, done, later, type Outcome, retry } from '#shared/domain/outcome.ts';

/** One step of the rotation at a time: whichever replica comes first takes it, and the others find it taken. */
export default defineReconcile({
  name: 'rotate-certificate',
  capability: 'certificates',
  summary: 'Issues the serving certificate, and renews it and its CA with overlap.',
  deadlineMs: 20_000,
  trigger: {
    watch: { of: secrets, namespace: 'installation', name: certificatesSecret },
    everySeconds: 5,
  },
  uses: ['clock', 'settings', 'cluster', 'certificates', 'conditions'],
  access: [
    {
      kind: secrets,
      namespace: 'installation',
      names: [certificatesSecret],
      verbs: ['get', 'create', 'update'],
    },
    { kind: leases, namespace: 'installation', verbs: ['list'] },
    { kind: mutatingWebhooks, names: webhookConfigurations.mutating, verbs: ['get'] },
    { kind: validatingWebhooks, names: webhookConfigurations.validating, verbs: ['get'] },
  ],
  async handler(_wake, { clock, settings, cluster, certificates, conditions }) {
    const current = settings.current();
    if (current.certificates.source !== 'self') return done;

    const place = {
      kind: secrets,
      namespace: current.installation.namespace,
      name: certificatesSecret,
    };
    const seen = await look(cluster, place);
    const at = { now: clock.now(), policy: policyFrom(current) };
    const stored = storedIn(seen.secret, certificates);
    const step = planRotation(stored, rotationFacts(seen, at), at);
    conditions.report(rotationCondition(step, stored, at));
    if (step.kind === 'rest' || step.kind === 'stuck') return done;
    if (step.kind === 'wait') return later(Math.ceil(step.afterMs / 1_000));

    const contents = contentsOf(seen.secret);
    const issued = await issue(orderFor(step, contents, at), certificates);
    const next = afterStep(
      step,
      { contents, stored },
      { issued, now: at.now, reader: certificates },
    );
    return write(cluster, place, {
      before: seen.secret,
      after: secretWith(seen.secret, place, next),
    });
  },
});

async function look(cluster: Cluster, place: Target) {
  const { namespace } = place;
  const secret = await cluster.find(place);
  const found = await Promise.all(bundledConfigurations.map((each) => cluster.find(each)));
  const configurations = ownConfigurations(found);
  const replicas = await replicasFrom(cluster.list(leases, { namespace, labels: replicaLabels }));
  return { secret, configurations, replicas };
}

async function issue({ ca, leaf }: Order, certificates: Certificates): Promise<Issued> {
  const newCa = ca && (await certificates.issueCa(ca));
  const by = leaf?.by === 'new' ? newCa : leaf?.by;
  const newLeaf = leaf && by && (await certificates.issueLeaf({ ...leaf, ca: by }));
  return { ...(newCa && { ca: newCa }), ...(newLeaf && { leaf: newLeaf }) };
}

/** A replica that was slower meets a conflict, and reads what the faster one made. */
async function write(
  cluster: Cluster,
  place: Target,
  { before, after }: { readonly before: KubeObject | undefined; readonly after: KubeObject },
): Promise<Outcome> {
  const write =
    before === undefined
      ? await cluster.create(secrets, after)
      : await cluster.replace(place, after);
  switch (write.kind) {
    case 'written':
      return later(1);
    case 'busy':
      return retry(write.why);
    case 'conflict':
      return conflict(write.why);
    case 'not-found':
      return conflict('the Secret was deleted meanwhile');
  }
}
