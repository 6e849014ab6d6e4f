import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Wake } from '#events/kinds.ts';
import replicatePullSecret from '#functions/pod-bootstrap/replicate-pull-secret.ts';
import { mergeRights, rightsOf } from '#infra/deploy/rights.ts';
import { bootstrapDocumentsInMemory } from '#infra/emulator/testing/bootstrap-documents-in-memory.ts';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { eventsRecorded } from '#infra/emulator/testing/events-recorded.ts';
import { mirrorInMemory } from '#infra/emulator/testing/mirror-in-memory.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { namespaces, secrets } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { done } from '#shared/domain/outcome.ts';
import { replicaOf } from '#shared/domain/pod-bootstrap/pull-secret-replica.ts';
import type { Cluster } from '#shared/ports.ts';
import { openOwnWrites } from '#shared/runtime/own-writes.ts';
import { runOnce } from '#shared/runtime/reconcile.ts';
import {
  credentials,
  credentialsOf,
  documentText,
  home,
  namespaceOf,
  optOut,
  pullSecret,
  secretName,
} from '#test/support/pull-secret.ts';
import { running } from '#test/support/running.ts';

const wake: Wake = {
  ...{ kind: 'object', cluster: 'main', group: '', resource: 'namespaces', namespace: '' },
  ...{ name: 'team-a', uid: 'any', deleted: false },
};

/** One namespace and one run; what differs of the cluster for it alone, and what the mirror has. */
function oneRun(
  objects: readonly KubeObject[],
  differing: (cluster: Cluster) => Partial<Cluster>,
  given: Parameters<typeof settingsFixed>[0] = {},
) {
  const cluster = clusterInMemory(...objects);
  const mirror = mirrorInMemory();
  const ports = {
    ...{ settings: settingsFixed(given), mirror, events: eventsRecorded() },
    clock: clockAt('2030-01-01T12:00:00Z'),
    conditions: conditionsRecorded(),
    bootstrapDocument: bootstrapDocumentsInMemory(documentText()),
    cluster: { ...cluster, ...differing(cluster) },
  };
  const at = running(ports);
  const run = () => runOnce(replicatePullSecret, wake, at);
  const text = async (namespace: string) =>
    credentialsOf(await cluster.find({ kind: secrets, namespace, name: secretName }));
  return { at, cluster, mirror, events: ports.events, log: at.log, run, text };
}

const source = pullSecret(home, 'first');
const team = namespaceOf('team-a');
const replica = replicaOf(source, 'team-a');

describe('replicate-pull-secret, in one namespace', () => {
  it('takes nothing away before the source was missed twice', async () => {
    let missed = 0;
    const { run, text } = oneRun([team, source, replica], (cluster) => ({
      async find(target) {
        if (target.namespace !== home || missed > 0) return cluster.find(target);
        missed += 1;
        return undefined;
      },
    }));
    expect(await run()).toEqual(done);
    expect(missed).toBe(1);
    expect(await text('team-a')).toBe(credentials('first'));
  });

  it('takes nothing away because of what the mirror alone says of the namespace', async () => {
    const { run, text, mirror } = oneRun([team, source, replica], () => ({}));
    const metadata = { name: 'team-a', uid: 'uid-of-team-a', annotations: optOut };
    mirror.put(namespaces, { ...team, metadata });
    expect(await run()).toEqual(done);
    expect(await text('team-a')).toBe(credentials('first'));
  });

  it.each(['..', 'a/secrets/b', '', 'A', 7, null, 'x'.repeat(64)])(
    'looks in no place that a replica makes up: %j',
    async (namespace) => {
      const annotations = { 'gatehouse.io/copied-from': JSON.stringify({ namespace }) };
      const metadata = { ...replica.metadata, annotations };
      const asked: unknown[] = [];
      const { run, text } = oneRun([team, { ...replica, metadata }], (cluster) => ({
        async find(target) {
          asked.push(target.namespace);
          if (target.namespace === '..') throw new Error('it names nothing');
          return cluster.find(target);
        },
      }));
      expect(await run()).toEqual(done);
      expect(new Set(asked)).toEqual(new Set([undefined, home, 'team-a']));
      expect(await text('team-a')).toBeUndefined();
    },
  );

  it('makes nothing where the namespace ends, which the mirror does not know yet', async () => {
    const metadata = { name: 'team-a', deletionTimestamp: '2030-01-01T00:00:00Z' };
    const { run, text, mirror } = oneRun([{ ...team, metadata }, source], () => ({}));
    mirror.put(namespaces, { ...team, metadata: { name: 'team-a', uid: 'uid-of-team-a' } });
    expect(await run()).toEqual(done);
    expect(await text('team-a')).toBeUndefined();
  });

  it('looks again where somebody wrote between its look and its write', async () => {
    let written = 0;
    const former = replicaOf(pullSecret(home, 'former'), 'team-a');
    const { run, text } = oneRun([team, source, former], (cluster) => ({
      async apply(target, object, options) {
        written += 1;
        const labels = { metadata: { labels: { theirs: String(written) } } };
        if (written === 1) await cluster.patch(target, { type: 'merge', body: labels });
        return cluster.apply(target, object, options);
      },
    }));
    expect(await run()).toEqual(done);
    expect(written).toBe(2);
    expect(await text('team-a')).toBe(credentials('first'));
  });

  it('waits before it takes its credentials back once more from who keeps his own there', async () => {
    const by = { manager: 'gatehouse-pull-secret', operation: 'Apply' };
    const ours = { ...by, time: '2030-01-01T11:59:59Z', fieldsV1: { 'f:metadata': {} } };
    const theirs = replicaOf(pullSecret(home, 'theirs'), 'team-a');
    const metadata = { ...theirs.metadata, managedFields: [ours] };
    const { run, text } = oneRun([team, source, { ...theirs, metadata }], () => ({}));
    expect(await run()).toEqual({ kind: 'later', afterSeconds: 2 });
    expect(await text('team-a')).toBe(credentials('theirs'));
  });

  it('does not overwrite by force what somebody makes at the same moment', async () => {
    const { run, text, events } = oneRun([team, source], (known) => ({
      async apply(target, object, options) {
        await known.create(target.kind, pullSecret('team-a', 'theirs'));
        return known.apply(target, object, options);
      },
    }));
    expect(await run()).toEqual(done);
    expect(await text('team-a')).toBe(credentials('first'));
    // The second look found a stranger's.
    expect(events.list()).toMatchObject([{ reason: 'PullSecretAdopted' }]);
  });

  it('asks the cluster nothing because of what it wrote itself', async () => {
    const never = () => Promise.reject(new Error('it asked'));
    const { at } = oneRun([team, source], () => ({ find: never, apply: never }));
    expect(await runOnce(replicatePullSecret, wake, { ...at, isOwnWrite: true })).toEqual(done);
    expect(await runOnce(replicatePullSecret, wake, at)).toMatchObject({ kind: 'retry' });
  });

  it('logs nothing of a Secret when the cluster refuses it', async () => {
    const { run, log } = oneRun([team, source], () => ({
      apply: async () => {
        throw new Error('cannot apply secrets team-a/registry-credentials: 422');
      },
    }));
    expect(await run()).toMatchObject({ kind: 'retry' });
    expect(log.lines).toHaveLength(1);
    expect(inspect(log.lines, { depth: 20 })).not.toContain(credentials('first'));
  });

  it('waits as long as the server asks it to', async () => {
    const { run } = oneRun([team, source], () => ({
      apply: async () => ({ kind: 'busy', why: 'too many requests', afterSeconds: 7 }),
    }));
    expect(await run()).toEqual({ kind: 'later', afterSeconds: 7 });
  });

  it('may get, make, change and delete Secrets of that name, and take away what was left of the former', () => {
    const pullSecret = { name: 'platform', formerName: 'former' };
    const settings = settingsFixed({ podBootstrap: { pullSecret } });
    const rights = mergeRights(rightsOf(replicatePullSecret, settings.current()));
    expect(rights.filter(({ resource }) => resource === 'secrets')).toEqual([
      // Of what is left under the name before.
      { group: '', resource: 'secrets', names: ['former'], verbs: ['delete', 'get'] },
      { group: '', resource: 'secrets', names: ['platform'], verbs: ['delete', 'get', 'patch'] },
      // No name narrows it.
      { group: '', resource: 'secrets', names: [], verbs: ['create'] },
    ]);
  });
});

/** The namespace's messages and those of its Secret are two groups, which run side by side. */
describe('two runs for one namespace', () => {
  const ofSecret: Wake = {
    ...{ kind: 'object', cluster: 'main', group: '', resource: 'secrets', namespace: 'team-a' },
    ...{ name: secretName, uid: 'any', deleted: false },
  };

  it.each([
    ['has been made', []],
    ['has been changed', [replicaOf(pullSecret(home, 'former'), 'team-a')]],
  ])(
    'leave no old credentials where the source is rotated between their looks, and the replica %s meanwhile',
    async (_, before) => {
      const written = openOwnWrites();
      const noted = (at: ReturnType<typeof running>) => ({
        ...at,
        ports: written.noting(replicatePullSecret.name, at.ports),
      });
      let isFirst = true;
      const { at, cluster, text } = oneRun([team, source, ...before], (known) => ({
        async apply(target, object, options) {
          if (isFirst) {
            isFirst = false;
            const data = { '.dockerconfigjson': credentials('second') };
            const body = { type: 'merge', body: { data } } as const;
            await known.patch({ kind: secrets, namespace: home, name: secretName }, body);
            expect(await runOnce(replicatePullSecret, wake, noted(at))).toEqual(done);
          }
          return known.apply(target, object, options);
        },
      }));
      expect(await runOnce(replicatePullSecret, ofSecret, noted(at))).toEqual(done);
      const now = await cluster.find({ kind: secrets, namespace: 'team-a', name: secretName });
      const { uid, resourceVersion } = now?.metadata ?? {};
      const isOwnWrite = written.isOwn(
        replicatePullSecret.name,
        `${uid}/${resourceVersion}/modified`,
      );
      // Whatever was written last has an event.
      await runOnce(replicatePullSecret, ofSecret, { ...noted(at), isOwnWrite });
      expect(await text('team-a')).toBe(credentials('second'));
    },
  );
});

describe('replicate-pull-secret, under another name', () => {
  const renamed = { podBootstrap: { pullSecret: { name: 'platform' } } };
  const named = (secret: KubeObject, more: object = {}): KubeObject => ({
    ...secret,
    metadata: { ...secret.metadata, name: 'platform', ...more },
  });
  const ours = { managedFields: [{ manager: 'gatehouse-pull-secret', operation: 'Apply' }] };
  const left = { ...replica, metadata: { ...replica.metadata, ...ours } };
  const newSource = named(source);

  function renaming(objects: readonly KubeObject[], differing = (_: Cluster) => ({})) {
    const { run, cluster } = oneRun([team, ...objects], differing, renamed);
    const names = async () => {
      const found = [secretName, 'platform'].map((name) =>
        cluster.find({ kind: secrets, namespace: 'team-a', name }),
      );
      return (await Promise.all(found)).flatMap((each) => each?.metadata.name ?? []);
    };
    return { run, names, cluster };
  }

  it('takes what was left under the former one, as soon as the new one is there', async () => {
    const { run, names } = renaming([newSource, left]);
    expect(await run()).toEqual(done);
    expect(await names()).toEqual(['platform']);
    expect(await run()).toEqual(done);
    expect(await names()).toEqual(['platform']);
  });

  it('keeps it as long as there is no source of the new name', async () => {
    const { run, names } = renaming([source, left]);
    expect(await run()).toEqual(done);
    expect(await names()).toEqual([secretName]);
  });

  it('leaves what somebody has written over it between two looks', async () => {
    let looks = 0;
    const { run, names } = renaming([newSource, left], (cluster) => ({
      async find(target: Parameters<Cluster['find']>[0]) {
        if (target.name !== secretName) return cluster.find(target);
        looks += 1;
        if (looks === 2) {
          const body = { metadata: { labels: { 'app.kubernetes.io/managed-by': 'somebody' } } };
          await cluster.patch(target, { type: 'merge', body });
        }
        return cluster.find(target);
      },
    }));
    expect(await run()).toEqual(done);
    expect(looks).toBe(2);
    expect(await names()).toEqual([secretName, 'platform']);
  });
});
