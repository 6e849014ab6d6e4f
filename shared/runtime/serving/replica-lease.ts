import { leaseOf, replicaLeaseName } from '#shared/domain/certificates/replica.ts';
import { replicaLease } from '#shared/domain/installation.ts';
import { leases } from '#shared/domain/kind.ts';
import type { Clock, Cluster, Conditions, SettingsPort } from '#shared/ports.ts';
import type { CertificateSource } from './certificate-source.ts';

/** Says in the cluster that this replica serves, and which leaf: a rotation waits for it, and the bundles carry its CA. */
export type ReplicaLease = {
  renew(): Promise<void>;
  /** When the last answer is given: from then on nobody waits for this replica. */
  stop(): Promise<void>;
};

const { aliveForSeconds, renewEverySeconds } = replicaLease;

/** Resolves when the first renewal is through, so that a replica is known before it is reached. */
export async function startReplicaLease(options: {
  /** Unlike that of any other replica: the pod's name. */
  readonly replica: string;
  readonly role: string;
  readonly source: CertificateSource;
  readonly clock: Clock;
  readonly cluster: Cluster;
  readonly settings: SettingsPort;
  readonly conditions: Conditions;
  /** 0 leaves it to `renew`. */
  readonly everyMs?: number;
}): Promise<ReplicaLease> {
  const { replica, role, source, clock, cluster, settings, conditions } = options;
  const { everyMs = renewEverySeconds * 1_000 } = options;
  const { namespace } = settings.current().installation;
  const target = { kind: leases, namespace, name: replicaLeaseName(replica) };
  let queue = Promise.resolve();
  let stopped = false;

  const renewOnce = async (): Promise<void> => {
    const served = source.current();
    // Who serves nothing must not be waited for.
    if (stopped || served === undefined) return;
    const authorities = source.authorities();
    const { serial } = served;
    const said = { replica, role, namespace, serial, authorities, aliveForSeconds };
    const lease = leaseOf(said, clock.now());
    const write = await cluster.apply(target, lease, {
      fieldManager: 'gatehouse-replica',
      force: true,
    });
    if (write.kind !== 'written') throw new Error(`the Lease was not written: ${write.kind}`);
  };
  const renew = (): Promise<void> => {
    queue = queue.then(renewOnce).then(
      () => conditions.report({ name: 'replica-lease', holds: true, why: 'it is renewed' }),
      (cause: unknown) => {
        const why = cause instanceof Error ? cause.message : String(cause);
        conditions.report({ name: 'replica-lease', holds: false, why });
      },
    );
    return queue;
  };
  const renewSoon = (): void => void renew();

  await renew();
  const timer = everyMs > 0 ? setInterval(renewSoon, everyMs).unref() : undefined;
  const stopListening = source.onChange(renewSoon);
  return {
    renew,
    async stop() {
      stopped = true;
      clearInterval(timer);
      stopListening();
      await queue;
      try {
        await cluster.delete(target);
      } catch (cause: unknown) {
        // It runs out by itself; that the cluster is away must not make the end a failure.
        const why = cause instanceof Error ? cause.message : String(cause);
        conditions.report({ name: 'replica-lease', holds: false, why });
      }
    },
  };
}
