import { leaseOf } from '#shared/domain/certificates/replica.ts';
import {
  type Contents,
  nothing,
  type Rotation,
  secretWith,
} from '#shared/domain/certificates/secret.ts';
import { certificatesSecret } from '#shared/domain/installation.ts';
import { secrets } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster } from '#shared/ports.ts';

export const namespace = 'gatehouse-system';
export const secretPlace = { kind: secrets, namespace, name: certificatesSecret };

export function secretOf(
  contents: Partial<Contents>,
  rotation: Rotation = { phase: 'steady', ca: '', since: new Date('2030-01-01T00:00:00Z') },
): KubeObject {
  return secretWith(undefined, secretPlace, { contents: { ...nothing, ...contents }, rotation });
}

export function leaseWith(
  replica: string,
  stated: { readonly serial?: string; readonly authorities?: string; readonly renewedAt: Date },
): KubeObject {
  const { serial = '', authorities = '', renewedAt } = stated;
  const said = { replica, role: 'admission', namespace, serial, authorities, aliveForSeconds: 60 };
  return leaseOf(said, renewedAt);
}

export async function secretIn(cluster: Cluster): Promise<KubeObject> {
  const found = await cluster.find(secretPlace);
  if (found === undefined) throw new Error('there is no Secret');
  return found;
}
