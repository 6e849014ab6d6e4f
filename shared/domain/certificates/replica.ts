import { annotations, labels, manager } from '../installation.ts';
import { isJsonObject } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import { bundleOf } from './pem.ts';

/** A replica that serves, as its own Lease tells of it. */
export type Replica = {
  /** Of its Lease. */
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string | undefined;
  /** Of the leaf that it serves. */
  readonly serial: string;
  /** What callers must trust to accept what it serves, and what it would serve next. */
  readonly authorities: string;
  readonly renewedAt: Date | undefined;
  readonly aliveForMs: number;
};

export const replicaLabels = {
  matchExpressions: [{ key: labels.replica, operator: 'Exists' }],
} as const;

/** After that long it is no pause and no lost connection: nobody will renew it again. */
const deadAfterMs = 10 * 60_000;

/** As the API server lists them. */
export async function replicasFrom(leases: AsyncIterable<KubeObject>): Promise<readonly Replica[]> {
  const replicas: Replica[] = [];
  for await (const lease of leases) replicas.push(replicaFrom(lease));
  return replicas;
}

export function replicaFrom(lease: KubeObject): Replica {
  const { name = '', uid = '', resourceVersion, annotations: stated = {} } = lease.metadata;
  const spec = isJsonObject(lease['spec']) ? lease['spec'] : {};
  const { renewTime, leaseDurationSeconds } = spec;
  const renewed = new Date(typeof renewTime === 'string' ? renewTime : '');
  return {
    name,
    uid,
    resourceVersion,
    serial: stated[annotations.certificateSerial] ?? '',
    authorities: stated[annotations.certificateAuthorities] ?? '',
    renewedAt: Number.isNaN(renewed.getTime()) ? undefined : renewed,
    aliveForMs: typeof leaseDurationSeconds === 'number' ? leaseDurationSeconds * 1_000 : 0,
  };
}

/** A replica that has not renewed for the Lease's own duration is not asked any more, and is not waited for. */
export function isAlive({ renewedAt, aliveForMs }: Replica, now: Date): boolean {
  return renewedAt !== undefined && now.getTime() - renewedAt.getTime() <= aliveForMs;
}

export function isLongDead(replica: Replica, now: Date): boolean {
  const { renewedAt, aliveForMs } = replica;
  if (renewedAt === undefined) return false;
  return now.getTime() - renewedAt.getTime() > aliveForMs + deadAfterMs;
}

export type ReplicaReport = {
  readonly replica: string;
  readonly role: string;
  readonly namespace: string;
  readonly serial: string;
  readonly authorities: string;
  readonly aliveForSeconds: number;
};

export function replicaLeaseName(replica: string): string {
  return `gatehouse-${replica}`;
}

export function leaseOf(report: ReplicaReport, now: Date): KubeObject {
  const { replica, role, namespace, serial, authorities, aliveForSeconds } = report;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: replicaLeaseName(replica),
      namespace,
      labels: { [labels.managedBy]: manager, [labels.replica]: role },
      annotations: {
        [annotations.certificateSerial]: serial,
        [annotations.certificateAuthorities]: bundleOf(authorities),
      },
    },
    spec: {
      holderIdentity: replica,
      leaseDurationSeconds: aliveForSeconds,
      renewTime: microTime(now),
    },
  };
}

/** The API reads no other number of digits. */
function microTime(at: Date): string {
  return at.toISOString().replace('Z', '000Z');
}
