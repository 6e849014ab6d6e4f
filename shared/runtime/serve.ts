import type { ReconcileFunction } from '#shared/define.ts';
import { runCondition } from './conditions.ts';
import { everySecondsOf } from './every-seconds.ts';
import type { SecureListening } from './listen.ts';
import { startPeriods } from './periods.ts';
import { runOnce } from './reconcile.ts';
import { type CertificateSource, openCertificateSource } from './serving/certificate-source.ts';
import { tuneEngine } from './serving/engine.ts';
import { drain, openFront } from './serving/front.ts';
import { type House, type ServeOptions, settle } from './serving/house.ts';
import { openProbes } from './serving/probing.ts';
import { isQueued, reconcilersOf } from './serving/reconciling.ts';
import { type ReplicaLease, startReplicaLease } from './serving/replica-lease.ts';
import { isPart } from './serving/role.ts';
import { openStations } from './serving/stations.ts';
import { startTellingMisfits } from './serving/telling-misfits.ts';

export type Serving = {
  /** HTTPS; a worker or a forwarder alone has none. */
  readonly port: number | undefined;
  readonly probePort: number;
  /** Of what goes on beside the front: what is not there yet, or not any more. */
  waitingFor(): readonly string[];
  /** What of these functions waits for its time is due now. */
  hasten(functions: readonly string[]): Promise<void>;
  /** Not ready, then serving on, then giving connections and messages back, then gone; nothing in flight is cut. */
  stop(): Promise<void>;
};

/** A role: in front TLS and the functions behind it, beside it the forwarder, the worker and what they stand on. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { config, log, registry, role } = options;
  tuneEngine(role);
  // Whatever fails on the way, what was opened before it is closed, the last first.
  await using opened = new AsyncDisposableStack();
  opened.defer(() => config.close());
  for (const capability of registry.unknownCapabilities(config.current())) {
    log.warn({ capability }, 'no function has this capability; is it a typing error?');
  }
  const house = settle(options);
  opened.defer(() => house.wiring.close());
  opened.defer(() => house.vigil.close());
  const misfits = startTellingMisfits(house);
  opened.defer(() => misfits.stop());

  const probes = await openProbes(house);
  opened.defer(() => probes.close(0));
  const beside = openBeside(house);
  opened.defer(() => beside.stop());
  const front = isPart(role, 'admission')
    ? await Promise.race([openAdmission(house, opened), failureOf(beside)])
    : await withoutFront(beside, options.stopped);

  house.phase = { kind: 'serving', front };
  const ports = { port: front?.port, probePort: probes.port };
  log.info({ role, ...ports }, 'serving');
  const open = opened.move();
  return {
    ...ports,
    waitingFor: () => house.waitingFor(),
    hasten: beside.hasten,
    async stop() {
      // Messages are given back at once, whatever else is still being answered.
      await Promise.all([drain(house, front), beside.stop()]);
      await open.disposeAsync();
      log.info({}, 'stopped');
    },
  };
}

type Beside = {
  readonly opened: Promise<void>;
  hasten(functions: readonly string[]): Promise<void>;
  stop(): Promise<void>;
};

async function withoutFront({ opened }: Beside, stopped: AbortSignal): Promise<undefined> {
  await opened;
  stopped.throwIfAborted();
  return undefined;
}

/** Never resolves. */
function failureOf({ opened }: Beside): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  opened.catch(reject);
  return promise;
}

/** What goes on beside the front. */
function openBeside(house: House): Beside {
  const { store, log, role } = house;
  if (store === undefined) {
    log.info(
      { role },
      'no database is named: the cluster itself is read, and periods turn in this process',
    );
    // Nothing waits there for its time but periods.
    const hasten = async () => {};
    return { opened: Promise.resolve(), hasten, ...openPeriods(house, reconcilersOf(house)) };
  }
  const stations = openStations(house, store);
  house.waitingFor = stations.waitingFor;
  const periods = openPeriods(house, isPart(role, 'admission') ? unqueued(house) : []);
  return {
    opened: stations.opened,
    hasten: stations.hasten,
    async stop() {
      await Promise.all([stations.stop(), periods.stop()]);
    },
  };
}

function unqueued(house: House): readonly ReconcileFunction[] {
  return reconcilersOf(house).filter((each) => !isQueued(each, house));
}

/** The front with its certificate, and the Lease that tells of both. */
async function openAdmission(house: House, opened: AsyncDisposableStack): Promise<SecureListening> {
  const certificate = await openCertificate(house);
  opened.defer(() => certificate.close());
  const pair = await certificate.first(house.stopped);
  // Before the first call can reach us, so that a rotation knows whom to wait for.
  const lease = await openLease(house, certificate);
  opened.defer(() => lease?.stop());
  const front = await openFront(house, certificate, pair);
  opened.defer(() => front.close(0));
  return front;
}

/** Replicas run them side by side: each writes conditionally, so the second finds it done. */
function openPeriods(house: House, functions: readonly ReconcileFunction[]) {
  const { registry, config, wiring, log, metrics, conditions } = house;
  return startPeriods({
    functions,
    isEnabled: (definition) => registry.isEnabled(definition, config.current()),
    everySecondsOf: ({ trigger }) => everySecondsOf(trigger, config.current()),
    random: Math.random,
    run: async (definition, wake) => {
      const ports = wiring.portsOf(definition);
      const outcome = await runOnce(definition, wake, { ports, log, meter: metrics.runMeter });
      conditions.report(runCondition(definition.name, outcome));
      return outcome;
    },
  });
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
  { login, wiring, replica, role }: House,
  source: CertificateSource,
): Promise<ReplicaLease | undefined> {
  if (login === undefined) return undefined;
  const { clock, cluster, settings, conditions } = wiring.ports;
  return startReplicaLease({
    replica,
    role,
    source,
    clock,
    cluster,
    settings,
    conditions,
  });
}
