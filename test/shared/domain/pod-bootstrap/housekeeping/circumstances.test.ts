import { describe, expect, it } from 'vitest';
import { leaseOf } from '#shared/domain/certificates/replica.ts';
import {
  type Excuse,
  excuseOf,
  restartKey,
} from '#shared/domain/pod-bootstrap/housekeeping/excuse.ts';
import {
  type Circumstances,
  hindranceOfAll,
  hindranceOfOne,
  type Surroundings,
} from '#shared/domain/pod-bootstrap/housekeeping/hindrance.ts';
import {
  busyMs,
  type Line,
  pauseMs,
  waitIn,
} from '#shared/domain/pod-bootstrap/housekeeping/pace.ts';
import { whyUnhealthy } from '#shared/domain/pod-bootstrap/housekeeping/webhook-health.ts';
import { switchedOff } from '#shared/domain/webhook-switch.ts';
import { mutatingConfiguration } from '#test/support/certificates/webhooks.ts';
import { housed, now, policy } from './samples.ts';

const owned = (kind: string, { controller = true, apiVersion = 'apps/v1' } = {}) => ({
  metadata: { ownerReferences: [{ apiVersion, kind, name: 'x', uid: 'x', controller }] },
});

describe('excuseOf', () => {
  it.each<[string, Parameters<typeof housed>[0], Excuse | undefined, object?]>([
    ['finds none for an old, running pod of a ReplicaSet', {}, undefined],
    ['finds none for one of a DaemonSet', owned('DaemonSet'), undefined],
    ['B18 leaves orphans', { metadata: { ownerReferences: [] } }, 'orphan'],
    ['leaves those that nobody controls', owned('ReplicaSet', { controller: false }), 'orphan'],
    ['leaves pods of Jobs', owned('Job', { apiVersion: 'batch/v1' }), 'owner-kind'],
    [
      'leaves pods of another group’s ReplicaSets',
      owned('ReplicaSet', { apiVersion: 'example.com/v1' }),
      'owner-kind',
    ],
    [
      'knows ReplicationControllers by their group, which is none',
      owned('ReplicationController', { apiVersion: 'v1' }),
      undefined,
    ],
    ['leaves pods of who it does not know', owned('TaskRun'), 'owner-kind'],
    [
      'leaves mirror pods',
      { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } },
      'mirror',
    ],
    [
      'leaves pods that end',
      { metadata: { deletionTimestamp: '2030-01-01T11:59:00Z' } },
      'terminating',
    ],
    ['leaves pods that have succeeded', { status: { phase: 'Succeeded' } }, 'finished'],
    ['leaves pods that have failed', { status: { phase: 'Failed' } }, 'finished'],
    ['leaves young pods', { metadata: { creationTimestamp: '2030-01-01T11:59:00Z' } }, 'young'],
    ['only reports kube-system', { metadata: { namespace: 'kube-system' } }, 'report-only'],
    [
      'leaves a pod that asks for it',
      { metadata: { annotations: { [restartKey]: 'false' } } },
      'opted-out',
    ],
    ['leaves a namespace that asks for it', {}, 'opted-out', { [restartKey]: 'false' }],
    [
      'hears the pod before its namespace',
      { metadata: { annotations: { [restartKey]: 'true' } } },
      undefined,
      { [restartKey]: 'false' },
    ],
    [
      'leaves our own pods',
      {
        metadata: {
          namespace: 'gatehouse-system',
          labels: { 'app.kubernetes.io/name': 'gatehouse' },
        },
      },
      'own',
    ],
  ])('%s', (_, pod, expected, annotations = {}) => {
    expect(excuseOf(housed(pod), policy, { annotations: { ...annotations } })).toBe(expected);
  });
});

const { settings } = policy;
const around: Surroundings = {
  bundle: 'corp',
  trustBundle: { kind: 'present', hash: 'h' },
  bundleAgeMs: 5_000,
  configurationAgeMs: 120_000,
  trips: [],
  problem: undefined,
  settings,
  unhealthy: undefined,
};
const tripped = (namespace: string, sinceMs = 1_000) => ({ namespace, sinceMs });

describe('what hinders all', () => {
  it.each<[string, Partial<Surroundings>, string | undefined, number?]>([
    ['is nothing where all is well', {}, undefined],
    ['is a bundle of less than 5 s', { bundleAgeMs: 1_500 }, 'bundle-new', 4],
    [
      'is a configuration of less than 2 min',
      { configurationAgeMs: 90_500 },
      'configuration-new',
      30,
    ],
    ['is a document that is bad', { problem: '$: expected an object' }, 'document', 30],
    ['is a bundle that cannot be read', { trustBundle: { kind: 'unknown' } }, 'bundle-unknown', 10],
    [
      'is no bundle that is not there: some need none',
      { trustBundle: { kind: 'absent' } },
      undefined,
    ],
    ['is a webhook that is away', { unhealthy: 'away' }, 'webhook', 30],
    ['is no trip of one namespace', { trips: [tripped('a')] }, undefined],
    ['are trips of two', { trips: [tripped('a'), tripped('b')] }, 'breaker', 300],
    ['are none that are past', { trips: [tripped('a'), tripped('b', 1_800_000)] }, undefined],
  ])('%s', (_, changed, by, afterSeconds) => {
    const found = hindranceOfAll({ ...around, ...changed });
    expect([found?.by, found?.afterSeconds]).toEqual([by, afterSeconds]);
    expect(found?.isEverywhere ?? true).toBe(true);
  });
});

const ahead: Circumstances = {
  namespace: 'team-a',
  needs: { pullSecret: 'pull', bundle: 'corp' },
  trustBundle: { kind: 'present', hash: 'h' },
  trips: [],
  settings,
  hasPullSecret: true,
  refusedTo: undefined,
};
const noNeeds = { pullSecret: undefined, bundle: undefined };

describe('what hinders one', () => {
  it.each<[string, Partial<Circumstances>, string | undefined]>([
    ['is nothing where all is well', {}, undefined],
    ['is a bundle that is not there', { trustBundle: { kind: 'absent' } }, 'bundle-absent'],
    [
      'is none that it can start without',
      { trustBundle: { kind: 'absent' }, needs: { ...noNeeds, pullSecret: 'pull' } },
      undefined,
    ],
    ['is none that the cluster cannot serve', { trustBundle: { kind: 'not-served' } }, undefined],
    ['is a pull secret that is not there', { hasPullSecret: false }, 'pull-secret'],
    ['is an account that it is refused to', { refusedTo: 'team-a/app' }, 'service-account'],
    [
      'is no account where the pod is not given it',
      { refusedTo: 'team-a/app', needs: noNeeds },
      undefined,
    ],
    ['is none that it is not given', { hasPullSecret: false, needs: noNeeds }, undefined],
    ['is a trip of its namespace', { trips: [tripped('team-a')] }, 'breaker'],
    ['is no trip of another', { trips: [tripped('team-b')] }, undefined],
    ['is none whose pause is over', { trips: [tripped('team-a', 1_800_000)] }, undefined],
  ])('%s', (_, changed, by) => {
    const found = hindranceOfOne({ ...ahead, ...changed });
    expect([found?.by, found?.isEverywhere ?? false]).toEqual([by, false]);
  });
});

describe('the pace', () => {
  const paced = { ...settings, perMinute: 300, jitterPercent: 50 };

  it('is the rate, and longer by the jitter at most, and the same for all replicas', () => {
    const pauses = Array.from({ length: 200 }, (_, at) => pauseMs(`pod-${at}`, paced));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(210);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(300);
    expect(new Set(pauses).size).toBeGreaterThan(50);
    expect(pauseMs('pod-1', paced)).toBe(pauses[1]);
  });

  const far = { freeInMs: 300, endsInMs: 5_000, due: 0 };
  const alone = { turnInMs: undefined, endsInMs: undefined, due: 0 };
  const late = { turnInMs: -3_001, freeInMs: -500 };
  it.each<[string, Line, number]>([
    ['nothing where nobody goes', { ...alone, freeInMs: -1 }, 0],
    ['until the one before has gone', { ...alone, freeInMs: 300 }, 300],
    ['until all have gone who came before', { ...far, turnInMs: undefined }, 5_200],
    ['until one’s own turn', { ...far, turnInMs: 700 }, 700],
    ['nothing when it has come', { ...far, turnInMs: 0, freeInMs: 0 }, 0],
    ['until the one before has gone though it has come', { ...far, turnInMs: 0 }, 300],
    ['nothing when one is as late as wake-ups are', { ...far, turnInMs: -3_000, freeInMs: 0 }, 0],
    ['as long as anybody’s who comes later', { ...far, turnInMs: -3_001 }, 5_200],
    ['nothing for who comes late, and nobody goes', { ...far, ...late, freeInMs: 0 }, 0],
    ['nothing where those in time leave something', { ...far, ...late, due: 2 }, 0],
    ['behind all others where those in time need all', { ...far, ...late, due: 3 }, 5_200],
    ['for those in time though they are the last', { ...late, endsInMs: -300, due: 3 }, 100],
    [
      'as if nothing were left where nobody stood in line',
      { ...alone, freeInMs: -9e9, due: 1 },
      200,
    ],
  ])('is to wait %s', (_, line, expected) => {
    expect(waitIn(line, 200)).toBe(expected);
  });

  it.each([
    ['ten seconds at least', 1, 0, 10_000],
    ['what the server asks for', 30, 0, 30_000],
    ['longer, the longer a budget holds it', 1, 600_000, 60_000],
  ])('of the same pod is %s', (_, asked, triedForMs, expected) => {
    expect(busyMs(asked, triedForMs)).toBe(expected);
  });
});

const service = { name: 'a', namespace: 'b' };
const clientConfig = { service, caBundle: 'Q0E=' };
const called = mutatingConfiguration({ clientConfig });
const lease = (role: string, at = now) =>
  leaseOf(
    { ...{ replica: 'a', role, namespace: 'x', serial: '', authorities: '', aliveForSeconds: 60 } },
    at,
  );
const off = {
  ...called,
  webhooks: [{ name: 'pods.mutate.gatehouse.io', clientConfig, matchConditions: [switchedOff] }],
};
const bare = { clientConfig: { service } };
const elsewhere = mutatingConfiguration({ clientConfig: { url: 'https://a.example' } });

describe('whyUnhealthy', () => {
  const late = new Date(now.getTime() - 16_000);
  const justInTime = new Date(now.getTime() - 15_000);
  it.each<
    [string, Parameters<typeof whyUnhealthy>[0], ReturnType<typeof lease>[], string | undefined]
  >([
    [
      'says nothing while a replica serves what is called',
      [undefined, called],
      [lease('admission')],
      undefined,
    ],
    ['counts a replica that does everything', [called], [lease('all')], undefined],
    ['misses a webhook', [undefined], [lease('admission')], 'no webhook is registered'],
    ['sees that it is switched off', [off], [lease('admission')], 'switched off'],
    [
      'sees that nobody is trusted yet',
      [mutatingConfiguration(bare)],
      [lease('admission')],
      'trusts nobody',
    ],
    ['misses a replica', [called], [], 'no replica serves'],
    [
      'says that of a webhook elsewhere nobody knows whether it answers',
      [elsewhere],
      [lease('worker')],
      'Lambda',
    ],
    ['counts a replica beside one', [elsewhere], [lease('admission')], undefined],
    ['counts no worker', [called], [lease('worker')], 'no replica serves'],
    ['counts one whose renewals are late', [called], [lease('admission', justInTime)], undefined],
    ['counts none that has stopped', [called], [lease('admission', late)], 'no replica serves'],
  ])('%s', async (_, configurations, leases, expected) => {
    const why = await whyUnhealthy(configurations, listed(leases), now);
    expect(why ?? 'nothing').toContain(expected ?? 'nothing');
  });
});

async function* listed<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
