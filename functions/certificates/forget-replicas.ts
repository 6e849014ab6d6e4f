import { defineReconcile } from '#shared/define.ts';
import { isLongDead, replicaLabels, replicasFrom } from '#shared/domain/certificates/replica.ts';
import { leases } from '#shared/domain/kind.ts';
import { done } from '#shared/domain/outcome.ts';

/** A replica that ends in order takes its Lease along; those of the others would gather. */
export default defineReconcile({
  name: 'forget-replicas',
  capability: 'certificates',
  summary: 'Deletes the Leases of replicas that ended without doing so themselves.',
  deadlineMs: 20_000,
  trigger: { everySeconds: 300 },
  uses: ['clock', 'settings', 'cluster'],
  access: [{ kind: leases, namespace: 'installation', verbs: ['list', 'delete'] }],
  async handler(_wake, { clock, settings, cluster }) {
    const { namespace } = settings.current().installation;
    const found = cluster.list(leases, { namespace, labels: replicaLabels });
    const dead = (await replicasFrom(found)).filter((replica) => isLongDead(replica, clock.now()));
    // One that came back meanwhile has another version: it stays.
    await Promise.all(
      dead.map(({ name, uid, resourceVersion }) =>
        cluster.delete({ kind: leases, namespace, name }, { uid, resourceVersion }),
      ),
    );
    return done;
  },
});
