import type { Definition, ReconcileFunction } from '#shared/define.ts';
import { runCondition } from './conditions.ts';
import { startPeriods } from './periods.ts';
import { runOnce } from './reconcile.ts';
import { type CertificateSource, openCertificateSource } from './serving/certificate-source.ts';
import { drain, openFront } from './serving/front.ts';
import { type House, type ServeOptions, settle } from './serving/house.ts';
import { openProbes } from './serving/probing.ts';
import { type ReplicaLease, startReplicaLease } from './serving/replica-lease.ts';

export type Serving = {
  readonly port: number;
  readonly probePort: number;
  /** Not ready, then serving on, then giving connections back, then gone; nothing in flight is cut. */
  stop(): Promise<void>;
};

/** The admission role: TLS in front, functions behind, and until the schedule does it their periods beside. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { config, log, registry } = options;
  // Whatever fails on the way, what was opened before it is closed, the last first.
  await using opened = new AsyncDisposableStack();
  opened.defer(() => config.close());
  for (const capability of registry.unknownCapabilities(config.current())) {
    log.warn({ capability }, 'no function has this capability; is it a typing error?');
  }
  const house = settle(options);
  opened.defer(() => house.wiring.close());

  const probes = await openProbes(house);
  opened.defer(() => probes.close(0));
  const periods = openPeriods(house);
  opened.defer(() => periods.stop());
  const certificate = await openCertificate(house);
  opened.defer(() => certificate.close());
  const pair = await certificate.first(house.stopped);
  // Before the first call can reach us, so that a rotation knows whom to wait for.
  const lease = await openLease(house, certificate);
  opened.defer(() => lease?.stop());
  const front = await openFront(house, certificate, pair);
  opened.defer(() => front.close(0));

  house.phase = { kind: 'serving', front };
  log.info({ port: front.port, probePort: probes.port }, 'serving');
  const open = opened.move();
  return {
    port: front.port,
    probePort: probes.port,
    async stop() {
      await drain(house, front);
      await open.disposeAsync();
      log.info({}, 'stopped');
    },
  };
}

/** Replicas run them side by side: each writes conditionally, so the second finds it done. */
function openPeriods({ registry, config, wiring, log, metrics, conditions, login }: House) {
  return startPeriods({
    functions: registry.definitions.filter(isReconcile).filter((each) => canRun(each, login)),
    isEnabled: (definition) => registry.isEnabled(definition, config.current()),
    random: Math.random,
    run: async (definition, wake) => {
      const ports = wiring.portsOf(definition);
      const outcome = await runOnce(definition, wake, { ports, log, meter: metrics.runMeter });
      conditions.report(runCondition(definition.name, outcome));
      return outcome;
    },
  });
}

const ofTheCluster: readonly string[] = ['cluster', 'nodes', 'namespaces', 'events'];

/** Without a cluster there is nothing to reconcile: not an error, run after run. */
function canRun({ uses }: ReconcileFunction, login: House['login']): boolean {
  return login !== undefined || !uses.some((port) => ofTheCluster.includes(port));
}

/** At the very first start there is none: a periodic function of ours makes it within a second or two. */
async function openCertificate(house: House): Promise<CertificateSource> {
  const { config, wiring, conditions, login, log } = house;
  const { clock, settings, certificates, cluster } = wiring.ports;
  const { source } = config.current().certificates;
  const opened = await openCertificateSource({
    source,
    clock,
    settings,
    certificates,
    conditions,
    cluster: login === undefined ? undefined : cluster,
  });
  if (opened.current() === undefined) log.info({ source }, 'waiting for a certificate to serve');
  return opened;
}

/** Without a cluster nobody rotates, and nobody needs to be told. */
async function openLease(
  { login, wiring, replica }: House,
  source: CertificateSource,
): Promise<ReplicaLease | undefined> {
  if (login === undefined) return undefined;
  const { clock, cluster, settings, conditions } = wiring.ports;
  return startReplicaLease({
    replica,
    role: 'admission',
    source,
    clock,
    cluster,
    settings,
    conditions,
  });
}

function isReconcile(definition: Definition): definition is ReconcileFunction {
  return definition.shape === 'reconcile';
}
