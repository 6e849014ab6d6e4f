import { describe, expect, it } from 'vitest';
import { leaseOf } from '#shared/domain/certificates/replica.ts';
import {
  type Excuse,
  excuseOf,
  restartKey,
} from '#shared/domain/pod-bootstrap/housekeeping/excuse.ts';
import {
  type Circumstances,
  hindranceOf,
} from '#shared/domain/pod-bootstrap/housekeeping/hindrance.ts';
import { pauseMs } from '#shared/domain/pod-bootstrap/housekeeping/pace.ts';
import { whyUnhealthy } from '#shared/domain/pod-bootstrap/housekeeping/webhook-health.ts';
import { switchedOff } from '#shared/domain/webhook-switch.ts';
import { mutatingConfiguration } from '#test/support/certificates/webhooks.ts';
import { housed, now, policy } from './samples.ts';

const owned = (kind: string, controller = true) => ({
  metadata: { ownerReferences: [{ apiVersion: 'apps/v1', kind, name: 'x', uid: 'x', controller }] },
});

describe('excuseOf', () => {
  it.each<[string, Parameters<typeof housed>[0], Excuse | undefined, object?]>([
    ['finds none for an old, running pod of a ReplicaSet', {}, undefined],
    ['finds none for one of a DaemonSet', owned('DaemonSet'), undefined],
    ['B18 leaves orphans', { metadata: { ownerReferences: [] } }, 'orphan'],
    ['leaves those that nobody controls', owned('ReplicaSet', false), 'orphan'],
    ['leaves pods of Jobs', owned('Job'), 'owner-kind'],
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

const clear: Circumstances = {
  needs: { pullSecret: 'pull', bundle: 'corp' },
  bundle: 'corp',
  trustBundle: { kind: 'present', hash: 'h' },
  bundleAgeMs: 5_000,
  sinceTripMs: undefined,
  settings: policy.settings,
  hasPullSecret: true,
  unhealthy: undefined,
};

describe('hindranceOf', () => {
  it.each<[string, Partial<Circumstances>, number | undefined]>([
    ['finds none where all is well', {}, undefined],
    ['waits 5 s after the bundle has changed', { bundleAgeMs: 1_500 }, 4],
    ['waits for a bundle that is not there', { trustBundle: { kind: 'absent' } }, 60],
    [
      'does not wait for one that pods can start without',
      { trustBundle: { kind: 'absent' }, needs: { pullSecret: undefined, bundle: undefined } },
      undefined,
    ],
    [
      'does not wait for what the cluster cannot serve',
      { trustBundle: { kind: 'not-served' } },
      undefined,
    ],
    ['waits for a bundle that cannot be read', { trustBundle: { kind: 'unknown' } }, 10],
    ['waits for the pull secret', { hasPullSecret: false }, 60],
    [
      'asks for no secret that pods are not given',
      { hasPullSecret: false, needs: { pullSecret: undefined, bundle: 'corp' } },
      undefined,
    ],
    ['waits while the webhook is away', { unhealthy: 'away' }, 10],
    ['stands still after a trip', { sinceTripMs: 1_000 }, 300],
    ['goes on when the pause is over', { sinceTripMs: 1_800_000 }, undefined],
  ])('%s', (_, changed, afterSeconds) => {
    expect(hindranceOf({ ...clear, ...changed })?.afterSeconds).toBe(afterSeconds);
  });
});

describe('the pace', () => {
  const settings = { ...policy.settings, perMinute: 300, jitterPercent: 50 };

  it('is the rate, and longer by the jitter at most, and the same for all replicas', () => {
    const pauses = Array.from({ length: 200 }, (_, at) => pauseMs(`pod-${at}`, settings));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(200);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(300);
    expect(new Set(pauses).size).toBeGreaterThan(50);
    expect(pauseMs('pod-1', settings)).toBe(pauses[1]);
  });
});

const clientConfig = { url: 'https://localhost:1', caBundle: 'Q0E=' };
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
const bare = { clientConfig: { service: { name: 'a', namespace: 'b' } } };

describe('whyUnhealthy', () => {
  const late = new Date(now.getTime() - 61_000);
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
    ['counts no worker', [called], [lease('worker')], 'no replica serves'],
    ['counts none that has stopped', [called], [lease('admission', late)], 'no replica serves'],
  ])('%s', async (_, configurations, leases, expected) => {
    const why = await whyUnhealthy(configurations, listed(leases), now);
    expect(why ?? 'nothing').toContain(expected ?? 'nothing');
  });
});

async function* listed<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
