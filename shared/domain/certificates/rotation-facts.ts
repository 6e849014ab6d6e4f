import type { KubeObject } from '../kube-object.ts';
import { observe } from './ca-bundle.ts';
import type { CertificateReader } from './certificate.ts';
import { certificatesIn } from './pem.ts';
import { isAlive, type Replica } from './replica.ts';
import type { At, Facts } from './rotation.ts';
import { contentsOf } from './secret.ts';

type Seen = {
  readonly secret: KubeObject | undefined;
  /** Our own ones. */
  readonly configurations: readonly KubeObject[];
  readonly replicas: readonly Replica[];
};

/** What planning a rotation needs to know beside the Secret. */
export function rotationFacts(
  { secret, configurations, replicas }: Seen,
  { now, policy }: At,
): Facts {
  const [next] = certificatesIn(contentsOf(secret).next);
  return {
    bundles: observe(
      configurations,
      policy.dnsNames,
      (trusted) => next !== undefined && trusted.includes(next),
    ),
    replicas: replicas.filter((replica) => isAlive(replica, now)),
  };
}

/** What callers must trust: the Secret's CAs, and whatever a living replica serves or is about to serve. */
export function wantedAuthorities(
  { secret, replicas }: Pick<Seen, 'secret' | 'replicas'>,
  reader: CertificateReader,
  now: Date,
): readonly string[] {
  const { old, ca, next } = contentsOf(secret);
  const served = replicas
    .filter((replica) => isAlive(replica, now))
    .map(({ authorities }) => authorities)
    .toSorted();
  // One that cannot be read would make the API server refuse the whole bundle.
  return [...new Set([old, ca, next, ...served].flatMap(certificatesIn))].filter(
    (authority) => (reader.read(authority)?.notAfter ?? now) > now,
  );
}
