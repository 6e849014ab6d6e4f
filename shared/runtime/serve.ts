import { Hono } from 'hono';
import type { Login } from '#shared/adapters/cluster/login.ts';
import type {
  AdmissionFunction,
  Definition,
  EndpointFunction,
  ReconcileFunction,
} from '#shared/define.ts';
import type { KeyPair } from '#shared/ports.ts';
import { admissionApp } from './admission/app.ts';
import { bind } from './admission/bind.ts';
import { openDesk } from './admission/desk.ts';
import { type ConditionBoard, openConditions, runCondition } from './conditions.ts';
import type { ConfigSource } from './config/source.ts';
import { endpointApp } from './invoke/endpoint-app.ts';
import { type Listening, listenPlainly, listenSecurely, type SecureListening } from './listen.ts';
import type { Log } from './log.ts';
import { type Metrics, openMetrics } from './metrics.ts';
import { startPeriods } from './periods.ts';
import { probeApp, type Readiness } from './probes.ts';
import { runOnce } from './reconcile.ts';
import type { Registry } from './registry.ts';
import { answersTls } from './self-dial.ts';
import { type CertificateSource, openCertificateSource } from './serving/certificate-source.ts';
import { type ReplicaLease, startReplicaLease } from './serving/replica-lease.ts';
import { type Wiring, wire } from './wire.ts';

export type ServeOptions = {
  readonly registry: Registry;
  readonly config: ConfigSource;
  readonly login: Login | undefined;
  /** This replica's name among the others: the pod's. */
  readonly replica: string;
  readonly log: Log;
  /** Aborted when the process is told to stop, which may be before it serves. */
  readonly stopped: AbortSignal;
};

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

type Phase =
  | { readonly kind: 'starting' }
  | { readonly kind: 'serving'; readonly front: Listening }
  | { readonly kind: 'draining' };

type House = ServeOptions & {
  readonly metrics: Metrics;
  readonly conditions: ConditionBoard;
  readonly wiring: Wiring;
  phase: Phase;
};

function settle(options: ServeOptions): House {
  const { config, log, login } = options;
  const metrics = openMetrics({ process: true });
  const conditions = openConditions(log, metrics.condition);
  const wiring = wire({
    settings: { current: config.current },
    conditions,
    measures: metrics.measures,
    login,
  });
  return { ...options, metrics, conditions, wiring, phase: { kind: 'starting' } };
}

function openProbes(house: House): Promise<Listening> {
  const { metrics, config } = house;
  const { address, probePort } = config.current().server;
  metrics.gauge('config_generation', 'Of the configuration that is served.', config.generation);
  metrics.gauge('config_refused', 'Changes refused since the start.', config.refused);
  const app = probeApp({
    readiness: () => readinessOf(house),
    metrics: async () => ({ text: await metrics.text(), contentType: metrics.contentType }),
  });
  return listenPlainly({ address, port: probePort, fetch: app.fetch });
}

async function readinessOf({ phase, config, conditions }: House): Promise<Readiness> {
  const answers = phase.kind === 'serving' && (await answersTls(phase.front));
  const problem = config.problem();
  return {
    ready: answers,
    waitingFor: answers ? [] : [phase.kind === 'serving' ? 'TLS' : phase.kind],
    degraded: [
      ...(problem === undefined ? [] : [problem]),
      ...conditions.current().flatMap(({ holds, name, why }) => (holds ? [] : [`${name}: ${why}`])),
    ],
  };
}

/** Replicas run them side by side: each writes conditionally, so the second finds it done. */
function openPeriods({ registry, config, wiring, log, metrics, conditions }: House) {
  return startPeriods({
    functions: registry.definitions.filter(isReconcile),
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

async function openFront(
  house: House,
  source: CertificateSource,
  pair: KeyPair,
): Promise<SecureListening> {
  const { config, log, metrics } = house;
  const { address, port, minTls } = config.current().server;
  const { fetch } = await frontApp(house);
  const front = await listenSecurely({ address, port, fetch, pair, minTls });
  const seconds = () => ((source.current()?.notAfter.getTime() ?? 0) - Date.now()) / 1_000;
  metrics.gauge('certificate_expiry_seconds', 'Left of the life of the leaf served.', seconds);
  source.onChange(() => {
    const served = source.current();
    if (served === undefined) return;
    front.setCertificate(served);
    log.info({ serial: served.serial, notAfter: served.notAfter }, 'serving a new certificate');
  });
  return front;
}

/** Endpoints at their paths, reviews everywhere else. */
async function frontApp({ registry, config, wiring, metrics, log }: House): Promise<Hono> {
  const { definitions } = registry;
  const bound = await Promise.all(
    definitions.filter(isAdmission).map((each) => bind(each, wiring.portsOf(each))),
  );
  for (const { definition, unfit } of bound) {
    if (unfit !== '') log.warn({ function: definition.name, why: unfit }, 'an entry of its own');
  }
  const settings = config.current;
  const desk = openDesk({ bound, isEnabled: registry.isEnabled, settings });
  const reviews = admissionApp(desk, {
    settings,
    namespaces: wiring.ports.namespaces,
    meter: metrics.meter,
    log,
  });
  return definitions
    .filter(isEndpoint)
    .reduce(
      (app, each) => app.route('/', endpointApp(each, { ports: wiring.portsOf(each), log })),
      new Hono(),
    )
    .route('/', reviews);
}

/** A caller that does not know yet that we go is served like any other, until it must know. */
async function drain(house: House, front: SecureListening): Promise<void> {
  const { config, log } = house;
  const { drainSeconds, timeoutSeconds } = config.current().server;
  house.phase = { kind: 'draining' };
  log.info({ drainSeconds }, 'draining');
  await seconds(drainSeconds / 2);
  front.startClosing();
  await seconds(drainSeconds / 2);
  await front.close(timeoutSeconds * 1_000);
}

function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count * 1_000));
}

function isAdmission(definition: Definition): definition is AdmissionFunction {
  return definition.shape === 'admission';
}

function isReconcile(definition: Definition): definition is ReconcileFunction {
  return definition.shape === 'reconcile';
}

function isEndpoint(definition: Definition): definition is EndpointFunction {
  return definition.shape === 'endpoint';
}
