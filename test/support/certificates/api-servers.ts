import type { ClusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { openCertificates } from '#shared/adapters/certificates/x509.ts';
import { isTrusted } from '#shared/domain/certificates/certificate.ts';
import { certificatesIn, fromBase64 } from '#shared/domain/certificates/pem.ts';
import type { Served } from '#shared/runtime/serving/offer.ts';
import { remembered } from './remembered.ts';
import { bundlesOf, ofMutating } from './webhooks.ts';

/** API servers that learn of a bundle each at a time of its own, and never of an older one again. */
export function apiServers(
  cluster: ClusterInMemory,
  { count, lateMs, pick }: { count: number; lateMs: number; pick: (count: number) => number },
) {
  const history = [{ atMs: Number.NEGATIVE_INFINITY, bundle: '' }];
  const known = Array.from({ length: count }, () => 0);
  const reader = openCertificates();
  const verify = remembered((certificate: string, bundle: string) =>
    isTrusted(reader, certificatesIn(certificate), certificatesIn(fromBase64(bundle))),
  );
  const last = () => history.length - 1;
  return {
    /** Writes down what stands in the configuration now. */
    see(nowMs: number) {
      const [configuration] = cluster.objects({ ...ofMutating.kind });
      const [bundle = ''] = configuration === undefined ? [] : bundlesOf(configuration);
      if (bundle !== history.at(-1)?.bundle) history.push({ atMs: nowMs, bundle });
    },
    mayLearn() {
      const server = pick(count);
      const at = known[server] ?? 0;
      known[server] = at + pick(history.length - at);
    },
    mustLearn(nowMs: number) {
      const oldest = history.findLastIndex(({ atMs }) => atMs + lateMs < nowMs);
      for (const [server, at] of known.entries()) known[server] = Math.max(at, oldest);
    },
    refusals: (name: string, { certificate, serial }: Served): readonly string[] =>
      known.flatMap((at, server) =>
        verify(certificate, history[at]?.bundle ?? '')
          ? []
          : [`server ${server} knows bundle ${at} of ${last()}: it refuses ${name} with ${serial}`],
      ),
  };
}
