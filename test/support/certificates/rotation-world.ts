import healCaBundle from '#functions/certificates/heal-ca-bundle.ts';
import rotateCertificate from '#functions/certificates/rotate-certificate.ts';
import { clockAt, type StoppedClock } from '#infra/emulator/testing/clock-at.ts';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { certificatesSecret } from '#shared/domain/installation.ts';
import { secrets } from '#shared/domain/kind.ts';
import type { Cluster, Conditions } from '#shared/ports.ts';
import {
  type CertificateSource,
  openCertificateSource,
} from '#shared/runtime/serving/certificate-source.ts';
import { type ReplicaLease, startReplicaLease } from '#shared/runtime/serving/replica-lease.ts';
import { apiServers } from './api-servers.ts';
import { openGate } from './gate.ts';
import { rememberedCertificates } from './remembered.ts';
import { mutatingConfiguration } from './webhooks.ts';

export type Plan = {
  readonly seed: number;
  readonly seconds: number;
  /** What the product waits. */
  readonly settle: string;
  /** How late an API server learns of a bundle, at most. */
  readonly lateMs: number;
  /** Replicas end, in order or not, and come back; or somebody deletes the Secret, once. */
  readonly trouble: 'restarts' | 'deleted-secret';
};

export type Report = {
  /** Moments at which an API server would have refused a replica. */
  readonly refused: readonly string[];
  /** How many each replica has served. */
  readonly leaves: number;
  readonly restarts: number;
};

/** Nobody looks or renews more seldom than that, and nobody stands at a call for longer. */
const slowestMs = 2_000;
const longestTickMs = 1_000;
/** By then the first certificate is in the bundle, and everybody knows it. */
const warmUpMs = 60_000;

const place = { kind: secrets, namespace: 'gatehouse-system', name: certificatesSecret };

type Replica = {
  readonly source: CertificateSource;
  readonly lease: ReplicaLease;
  lookedMs: number;
  renewedMs: number;
};

type Duty = { readonly actor: string; readonly dueMs: number; run(): Promise<unknown> };

/** Three replicas and two API servers, each call and each wait interleaved at random: the product's own functions and loops. */
export async function rotationWorld(plan: Plan): Promise<Report> {
  const random = dice(plan.seed);
  const pick = (count: number) => Math.floor(random() * count);
  const clock = clockAt('2030-01-01T00:00:00Z');
  const nowMs = () => clock.now().getTime();
  const endMs = nowMs() + plan.seconds * 1_000;
  const checkedFromMs = nowMs() + warmUpMs;

  const cluster = clusterInMemory(mutatingConfiguration());
  const gate = openGate(cluster);
  const house = openHouse(gate.clusterOf, { clock, plan });
  const accident = once(async () => {
    if (plan.trouble === 'deleted-secret') await cluster.delete(place);
  });
  const servers = apiServers(cluster, { count: 2, lateMs: plan.lateMs, pick });
  const refused: string[] = [];
  const leaves = new Set<string>();

  const free = () => house.duties().filter(({ actor }) => !gate.isBusy(actor));
  const tick = () => {
    clock.advanceMs(1 + pick(longestTickMs));
    servers.mustLearn(nowMs());
  };
  const isOverdue = () =>
    gate.waiting().some(({ sinceMs }) => nowMs() - sinceMs > slowestMs) ||
    free().some(({ dueMs }) => dueMs < nowMs());
  const go = async (): Promise<void> => {
    const steps = gate.waiting().map(
      ({ name }) =>
        () =>
          gate.step(name, pick),
    );
    const starts = free().map(
      ({ actor, run }) =>
        () =>
          gate.start(actor, nowMs(), run),
    );
    const others = isOverdue() ? [] : [tick, tick, tick, tick, servers.mayLearn];
    const options: readonly (() => unknown)[] = [...steps, ...starts, ...others];
    await options[pick(options.length)]?.();
  };

  while (nowMs() < endMs && refused.length === 0) {
    await go();
    if (nowMs() > checkedFromMs) await accident();
    servers.see(nowMs());
    for (const [name, served] of house.served()) {
      leaves.add(served.serial);
      if (nowMs() > checkedFromMs) refused.push(...servers.refusals(name, served));
    }
  }
  return { refused, leaves: leaves.size, restarts: house.restarts() };
}

function once(happens: () => Promise<void>): () => Promise<void> {
  let happened: Promise<void> | undefined;
  return () => {
    happened ??= happens();
    return happened;
  };
}

type Shared = { readonly clock: StoppedClock; readonly plan: Plan };

function openHouse(clusterOf: (actor: string) => Cluster, { clock, plan }: Shared) {
  const replicas = new Map<string, Replica>();
  const nowMs = () => clock.now().getTime();
  let restarts = 0;
  const settings = settingsFixed({
    certificates: {
      settle: plan.settle,
      caLifetime: '300s',
      leafLifetime: '200s',
      renewBefore: '1h',
    },
  });
  const conditions: Conditions = conditionsRecorded();
  const certificates = rememberedCertificates();
  const ports = (actor: string) => ({
    ...{ clock, settings, certificates, conditions },
    cluster: clusterOf(actor),
  });

  const open = async (name: string): Promise<void> => {
    const source = await openCertificateSource({ ...ports(name), source: 'self', lookAgainMs: 0 });
    const lease = await startReplicaLease({
      ...ports(name),
      ...{ replica: name, role: 'admission', source, everyMs: 0 },
    });
    replicas.set(name, { source, lease, lookedMs: nowMs(), renewedMs: nowMs() });
  };
  const close = async (name: string, { source, lease }: Replica, ordered: boolean) => {
    restarts += 1;
    replicas.delete(name);
    await source.close();
    if (ordered) await lease.stop();
  };
  const never = Number.POSITIVE_INFINITY;
  const living = (actor: string, replica: Replica): readonly Duty[] => [
    {
      actor,
      dueMs: replica.lookedMs + slowestMs,
      async run() {
        replica.lookedMs = nowMs();
        await replica.source.refresh();
      },
    },
    {
      actor,
      dueMs: replica.renewedMs + 2 * slowestMs,
      async run() {
        replica.renewedMs = nowMs();
        await replica.lease.renew();
      },
    },
  ];
  // As rare as that: most of the time all three are there.
  const dying = (actor: string, replica: Replica): readonly Duty[] =>
    plan.trouble === 'restarts' && nowMs() % 40 === 0
      ? [{ actor, dueMs: never, run: () => close(actor, replica, nowMs() % 80 === 0) }]
      : [];
  const functions = (name: string): readonly Duty[] => {
    const wake = (of: string) => ({ kind: 'period', function: of }) as const;
    const [rotate, heal] = [`${name}/rotate`, `${name}/heal`];
    return [
      {
        actor: rotate,
        dueMs: never,
        run: async () => rotateCertificate.handler(wake(rotate), ports(rotate)),
      },
      { actor: heal, dueMs: never, run: async () => healCaBundle.handler(wake(heal), ports(heal)) },
    ];
  };
  return {
    duties: (): readonly Duty[] =>
      ['a', 'b', 'c'].flatMap((name) => {
        const replica = replicas.get(name);
        return replica === undefined
          ? [{ actor: name, dueMs: nowMs(), run: () => open(name) }]
          : [...living(name, replica), ...dying(name, replica), ...functions(name)];
      }),
    served: () =>
      [...replicas].flatMap(([name, { source }]) => {
        const served = source.current();
        return served === undefined ? [] : [[name, served] as const];
      }),
    restarts: () => restarts,
  };
}

/** The same seed, the same world. */
function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 15), state | 1);
    const again = mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61));
    return ((again ^ (again >>> 14)) >>> 0) / 2 ** 32;
  };
}
