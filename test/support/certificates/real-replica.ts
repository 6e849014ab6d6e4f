import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import healCaBundle from '#functions/certificates/heal-ca-bundle.ts';
import rotateCertificate from '#functions/certificates/rotate-certificate.ts';
import { narrowed } from '#shared/adapters/cluster/narrowed.ts';
import type { ReconcileFunction } from '#shared/define.ts';
import type { Outcome } from '#shared/domain/outcome.ts';
import type { Cluster, Ports } from '#shared/ports.ts';
import { openCertificateSource } from '#shared/runtime/serving/certificate-source.ts';
import type { Served } from '#shared/runtime/serving/offer.ts';
import { startReplicaLease } from '#shared/runtime/serving/replica-lease.ts';

export type ReplicaPorts = Pick<
  Ports,
  'clock' | 'settings' | 'cluster' | 'certificates' | 'conditions'
>;

export type RealReplica = {
  readonly port: number;
  readonly outcomes: readonly Outcome[];
  current(): Served | undefined;
  /** From now on its functions run, turn by turn. */
  run(): void;
  stop(): Promise<void>;
};

/** A process in small: serves reviews over TLS with what its source says, keeps its Lease, and runs the functions. */
export async function openRealReplica(name: string, ports: ReplicaPorts): Promise<RealReplica> {
  const stopped = new AbortController();
  const outcomes: Outcome[] = [];
  const loop = turning(ports, { stopped: stopped.signal, outcomes });
  const source = await openCertificateSource({ ...ports, source: 'self', lookAgainMs: 200 });
  const turns = [loop(rotateCertificate)];

  const pair = await source.first(AbortSignal.timeout(10_000));
  const server = createServer({ cert: pair.certificate, key: pair.key, minVersion: 'TLSv1.3' });
  // Without keep-alive every review is a handshake, and every handshake a check of the certificate.
  server.on('request', async (request, response) => {
    const review = JSON.parse(await text(request));
    const { uid } = review.request;
    const answer = { ...review, request: undefined, response: { uid, allowed: true } };
    response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify(answer));
  });
  source.onChange(() => {
    const served = source.current();
    if (served !== undefined) {
      server.setSecureContext({ cert: served.certificate, key: served.key, minVersion: 'TLSv1.3' });
    }
  });
  const lease = await startReplicaLease({
    ...ports,
    replica: name,
    role: 'admission',
    source,
    everyMs: 500,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    port: (server.address() as AddressInfo).port,
    outcomes,
    current: source.current,
    run: () => void turns.push(loop(healCaBundle)),
    async stop() {
      stopped.abort();
      await Promise.all(turns);
      await lease.stop();
      await source.close();
      server.close();
    },
  };
}

type Turning = { readonly stopped: AbortSignal; readonly outcomes: Outcome[] };

/** With no more rights than the function states. */
export function portsOf(definition: ReconcileFunction, ports: ReplicaPorts): ReplicaPorts {
  const installationNamespace = ports.settings.current().installation.namespace;
  const holder = { function: definition.name, installationNamespace };
  const cluster: Cluster = narrowed(ports.cluster, definition.access ?? [], holder);
  return { ...ports, cluster };
}

function turning(ports: ReplicaPorts, { stopped, outcomes }: Turning) {
  return async (definition: ReconcileFunction<readonly (keyof ReplicaPorts)[]>): Promise<void> => {
    const given = portsOf(definition, ports);
    while (!stopped.aborted) {
      outcomes.push(await definition.handler({ kind: 'period', function: definition.name }, given));
      await pause(150 + 100 * Math.random(), undefined, { signal: stopped }).catch(() => undefined);
    }
  };
}
