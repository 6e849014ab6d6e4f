import { describe, expect, it } from 'vitest';
import restartPod from '#functions/pod-bootstrap/restart-pod.ts';
import { bootstrapDocumentsInMemory } from '#infra/emulator/testing/bootstrap-documents-in-memory.ts';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { eventsRecorded } from '#infra/emulator/testing/events-recorded.ts';
import { measuresRecorded } from '#infra/emulator/testing/measures-recorded.ts';
import { mirrorInMemory } from '#infra/emulator/testing/mirror-in-memory.ts';
import { namespacesInMemory } from '#infra/emulator/testing/namespaces-in-memory.ts';
import { restartsInMemory } from '#infra/emulator/testing/restarts-in-memory.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { applyPatch } from '#shared/domain/json-patch.ts';
import { pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { bootstrapPod } from '#shared/domain/pod-bootstrap/bootstrap.ts';
import { configurationOf } from '#shared/domain/pod-bootstrap/configuration.ts';
import { configurationName } from '#shared/domain/pod-bootstrap/housekeeping/house.ts';
import type { TrustBundle } from '#shared/domain/pod-bootstrap/trust-bundle.ts';
import type { Cluster } from '#shared/ports.ts';
import { runOnce } from '#shared/runtime/reconcile.ts';
import {
  bundle,
  bundleHash,
  podRead,
  trustBundle,
} from '#test/shared/domain/pod-bootstrap/bootstrapping.ts';
import { stored } from '#test/shared/domain/pod-bootstrap/housekeeping/samples.ts';
import { running } from '#test/support/running.ts';
import { surroundings } from './housekeeping-world.ts';

const { name: bundleName } = trustBundle;
const present = (hash: string) => ({ kind: 'present', hash }) as const;
const web = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'rs' };
const replicaSet: KubeObject = {
  ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet', spec: { replicas: 2 } },
  metadata: { name: 'web', namespace: 'team-a', uid: 'rs' },
};

const document = { availableFeatures: [bundle], clusterTrustBundle: trustBundle };
const restart = { grace: '0s', perMinute: 6_000, jitterPercent: 0 };
const config = {
  podBootstrap: { document, restart },
};
const { podBootstrap } = settingsFixed(config).current();
const configuration = configurationOf(podBootstrap.document, podBootstrap);

/** As the webhook makes it. */
function bootstrapped(raw: KubeObject, by: TrustBundle): KubeObject {
  const namespace = { name: 'team-a', annotations: {} };
  const facts = { request: { kind: 'create' }, namespace, trustBundle: by } as const;
  const verdict = bootstrapPod(podRead(raw), configuration, facts);
  return verdict.kind === 'patch' ? (applyPatch(raw, verdict.changes) as KubeObject) : raw;
}

/** Of two pods that were missed; what they are replaced by, the webhook makes, by the bundle that it knows. */
async function stage() {
  const clock = clockAt('2030-01-01T12:00:00Z');
  const settings = settingsFixed(config);
  const madeNow = (uid: string) => {
    const creationTimestamp = clock.now().toISOString();
    return stored({ metadata: { uid, name: uid, creationTimestamp, ownerReferences: [owner] } });
  };
  const owner = { ...web, controller: true };
  const missed = ['p1', 'p2'].map(madeNow);
  const made = clusterInMemory(...(surroundings as readonly KubeObject[]), replicaSet, ...missed);
  const mirror = mirrorInMemory();
  for (const pod of missed) mirror.put(pods, pod);

  const webhook = { knows: 'b1', isReady: true };
  const evicted: string[] = [];
  const ready = (status: 'True' | 'False') => ({
    ...{ phase: 'Running', conditions: [{ type: 'Ready', status }] },
  });
  const evict: Cluster['evict'] = async (target, options) => {
    const done = await made.evict(target, options);
    evicted.push(target.name);
    mirror.remove(pods, target.name);
    const raw = {
      ...madeNow(`new-${target.name}`),
      status: ready(webhook.isReady ? 'True' : 'False'),
    };
    const put = await made.create(pods, bootstrapped(raw, present(webhook.knows)));
    if (put.kind === 'written') mirror.put(pods, put.object);
    return done;
  };

  const given = {
    ...{ clock, mirror, settings, cluster: { ...made, evict } },
    bootstrapDocument: bootstrapDocumentsInMemory(),
    namespaces: namespacesInMemory({ name: 'team-a' }),
    restarts: restartsInMemory({ now: () => clock.now().getTime() }),
    events: eventsRecorded(),
    conditions: conditionsRecorded(),
    measures: measuresRecorded(),
  };
  const knows = (hash: string) => given.bootstrapDocument.know(bundleName, present(hash));
  const wake = { kind: 'period', function: 'restart-pod' } as const;
  const run = () => runOnce(restartPod, wake, running(given));
  const notes = async (hash: string) => {
    await given.restarts.ageMs(configurationName, configuration.hash);
    return given.restarts.ageMs(bundleName, hash);
  };
  knows('b1');
  await notes('b1');
  clock.advanceMs(3_600_000);

  return {
    ...{ clock, webhook, evicted, run, knows, notes },
    events: () => given.events.list(),
    state: async () => (await given.restarts.find('rs', 'team-a'))?.state,
    hashes: () =>
      made.objects(pods).map(({ metadata }) => metadata.annotations?.[bundleHash] ?? 'none'),
    becomeReady: async () => {
      for (const { metadata } of made.objects(pods)) {
        const target = { kind: pods, namespace: 'team-a', name: metadata.name ?? '' };
        const put = await made.patch(target, { type: 'merge', body: { status: ready('True') } });
        if (put.kind === 'written') mirror.put(pods, put.object);
      }
    },
    /** As the passes come, for so long. */
    async goOn(seconds: number) {
      for (let at = 0; at < seconds; at += 10) {
        await run();
        clock.advanceMs(10_000);
      }
    },
  };
}

describe('a rotation during a campaign', () => {
  it('trips nothing where the webhook hears of it before the worker', async () => {
    const on = await stage();
    on.webhook.knows = 'b2';
    await on.run();
    expect([on.evicted, await on.state()]).toEqual([['p1'], 'open']);
    // A run that still goes by the bundle that it has read at its start.
    on.clock.advanceMs(1_000);
    await on.run();
    expect([await on.state(), on.events()]).toEqual(['open', []]);

    on.clock.advanceMs(2_000);
    on.knows('b2');
    await on.goOn(300);
    expect([on.evicted, on.hashes(), on.events()]).toEqual([['p1', 'p2'], ['b2', 'b2'], []]);
    expect(await on.state()).toBe('closed');
  });

  it('trips nothing where it is taken back, and makes anew what came in between', async () => {
    const on = await stage();
    Object.assign(on.webhook, { knows: 'b2', isReady: false });
    await on.run();
    on.clock.advanceMs(3_000);
    on.knows('b2');
    await on.notes('b2');
    await on.run();
    Object.assign(on.webhook, { knows: 'b1', isReady: true });
    on.knows('b1');
    await on.notes('b1');
    on.clock.advanceMs(3_000);
    await on.run();
    await on.becomeReady();
    await on.goOn(600);
    expect([on.hashes(), on.events()]).toEqual([['b1', 'b1'], []]);
    expect(on.evicted.toSorted()).toEqual(['new-p1', 'p1', 'p2']);
  });

  it('trips where the webhook goes on by the older one for longer than all need to hear of it', async () => {
    const on = await stage();
    on.webhook.knows = 'b0';
    await on.goOn(110);
    expect([on.evicted, on.events()]).toEqual([['p1'], []]);
    await on.goOn(60);
    expect(on.events()).toMatchObject([{ reason: 'PodRestartsStopped' }]);
    expect([on.evicted, await on.state()]).toEqual([['p1'], 'tripped']);
  });
});
