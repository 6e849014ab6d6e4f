import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Wake } from '#events/kinds.ts';
import replicatePullSecret from '#functions/pod-bootstrap/replicate-pull-secret.ts';
import { bootstrapDocumentsInMemory } from '#infra/emulator/testing/bootstrap-documents-in-memory.ts';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { eventsRecorded } from '#infra/emulator/testing/events-recorded.ts';
import { mirrorInMemory } from '#infra/emulator/testing/mirror-in-memory.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { namespaces, secrets } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { done } from '#shared/domain/outcome.ts';
import {
  appliedIn,
  pullSecretType,
  replicaLabels,
} from '#shared/domain/pod-bootstrap/pull-secret-replica.ts';
import { runOnce } from '#shared/runtime/reconcile.ts';
import {
  credentials,
  credentialsOf,
  documentText,
  namespaceOf,
  optOut,
  pullSecret,
  secretName,
} from '#test/support/pull-secret.ts';
import { running } from '#test/support/running.ts';
import { objectOf } from '../cluster/place.ts';
import type { Place } from './place.ts';

const former = secretName;
const name = 'platform-credentials';

type Names = {
  readonly name: string;
  /** Of the source, where it is not its own. */
  readonly namespace?: string;
  readonly formerName?: string;
  readonly foreign?: 'adopt' | 'leave';
};

const nothingSaid = Object.fromEntries(Object.keys(optOut).map((key) => [key, null]));

/** As somebody does who wants to keep it. */
const withoutLabels = { metadata: { labels: null } };

/** Whose a Secret is, is read from the fields' managers: only a server keeps those as servers do. */
export function ownedSecretContract(whose: string, { cluster }: Place): void {
  describe(`whose a pull secret is, on ${whose}`, () => {
    const mark = `owned-${randomBytes(4).toString('hex')}`;
    const [home, team, other, taken] = ['home', 'team', 'other', 'taken'].map(
      (each) => `${mark}-${each}`,
    ) as [string, string, string, string];

    const events = eventsRecorded();
    const outcomeAt = async (now: string, at: string, names: Names) => {
      const pullSecret = { namespace: home, ...names };
      const ports = running({
        settings: settingsFixed({ podBootstrap: { pullSecret } }),
        bootstrapDocument: bootstrapDocumentsInMemory(documentText()),
        ...{ cluster, mirror: mirrorInMemory(), events, clock: clockAt(now) },
        conditions: conditionsRecorded(),
      });
      const wake: Wake = {
        ...{ kind: 'object', cluster: 'main', group: '', resource: 'namespaces', namespace: '' },
        ...{ name: at, uid: 'any', deleted: false },
      };
      return runOnce(replicatePullSecret, wake, ports);
    };
    // Long after all that was ever written.
    const run = async (at: string, names: Names) =>
      expect(await outcomeAt('2100-01-01T00:00:00Z', at, names)).toEqual(done);
    const create = async (secret: KubeObject) => objectOf(await cluster.create(secrets, secret));
    const find = (namespace: string, secret: string) =>
      cluster.find({ kind: secrets, namespace, name: secret });
    const namesIn = async (namespace: string) => {
      const found = await Promise.all([former, name].map((each) => find(namespace, each)));
      return found.flatMap((each) => each?.metadata.name ?? []);
    };

    const say = async (namespace: string, annotations: object) => {
      const body = { metadata: { annotations: { ...annotations } } };
      objectOf(await cluster.patch({ kind: namespaces, name: namespace }, { type: 'merge', body }));
    };

    beforeAll(async () => {
      for (const each of [home, team, other, taken]) {
        objectOf(await cluster.create(namespaces, namespaceOf(each)));
      }
      await create(pullSecret(home, 'first'));
      await run(team, { name: former });
      await create(pullSecret(home, 'first', { metadata: { name, namespace: home } }));
    });

    afterAll(async () => {
      for (const each of [home, team, other, taken]) {
        await cluster.delete({ kind: namespaces, name: each });
      }
    });

    it('stays ours where somebody took its labels off: it is healed, and goes with the wish for it', async () => {
      const leave = { name, foreign: 'leave' } as const;
      const at = { kind: secrets, namespace: taken, name };
      await run(taken, leave);
      objectOf(await cluster.patch(at, { type: 'merge', body: withoutLabels }));
      await run(taken, leave);
      expect((await find(taken, name))?.metadata.labels).toEqual(replicaLabels);

      objectOf(await cluster.patch(at, { type: 'merge', body: withoutLabels }));
      await say(taken, optOut);
      await run(taken, leave);
      expect(await find(taken, name)).toBeUndefined();
    });

    it('is his who wrote credentials of his own as well, where those are left', async () => {
      const leave = { name, foreign: 'leave' } as const;
      await say(taken, nothingSaid);
      await run(taken, leave);
      const { data } = pullSecret(taken, 'theirs');
      const body = { ...withoutLabels, data: data ?? null };
      objectOf(
        await cluster.patch({ kind: secrets, namespace: taken, name }, { type: 'merge', body }),
      );
      await run(taken, leave);
      await say(taken, optOut);
      await run(taken, leave);
      expect(credentialsOf(await find(taken, name))).toBe(credentials('theirs'));
    });

    it('is taken from where it was made under its former name, once the new one is there', async () => {
      expect(await namesIn(team)).toEqual([former]);
      await run(team, { name, formerName: former });
      expect(await namesIn(team)).toEqual([name]);
    });

    it('is not taken back in the same second from who has just written his own', async () => {
      const [ours] = appliedIn((await find(team, name)) ?? pullSecret(team, 'none'));
      const { data = null } = pullSecret(team, 'theirs');
      const at = { kind: secrets, namespace: team, name };
      objectOf(await cluster.patch(at, { type: 'merge', body: { data } }));
      const outcome = await outcomeAt(String(ours?.['time']), team, { name });
      expect(outcome).toEqual({ kind: 'later', afterSeconds: 3 });
      expect(credentialsOf(await find(team, name))).toBe(credentials('theirs'));
      await run(team, { name });
      expect(credentialsOf(await find(team, name))).toBe(credentials('first'));
    });

    it('is left where a person made a copy of it, labels and all', async () => {
      const made = await find(team, name);
      const labels = made?.metadata.labels ?? {};
      expect(labels).toEqual(replicaLabels);
      await create(
        pullSecret(other, 'first', { metadata: { name: former, namespace: other, labels } }),
      );
      await run(other, { name, formerName: former });
      expect(await namesIn(other)).toEqual([former, name]);
    });

    it('is found by its name and type, without a byte of it, as restarts look for it', async () => {
      const found = async (type: string) => {
        const fields = `metadata.name=${name},type=${type}`;
        const at = { namespace: team, fields, metadataOnly: true };
        const objects: KubeObject[] = [];
        for await (const each of cluster.list(secrets, at)) objects.push(each);
        return objects;
      };
      expect(await found(pullSecretType)).toMatchObject([{ metadata: { name } }]);
      expect((await found(pullSecretType))[0]).not.toHaveProperty('data');
      expect(await found('Opaque')).toEqual([]);
    });

    it('is no source where settings name the namespace of a replica, until somebody writes there', async () => {
      const misled = { name, namespace: team };
      await run(home, misled);
      await run(team, misled);
      expect(credentialsOf(await find(home, name))).toBe(credentials('first'));
      expect((await find(home, name))?.metadata.labels).toBeUndefined();
      expect(events.list().at(-1)).toMatchObject({ reason: 'PullSecretUnusable' });

      const { data } = pullSecret(team, 'second');
      const body = { data: data ?? null };
      objectOf(
        await cluster.patch({ kind: secrets, namespace: team, name }, { type: 'merge', body }),
      );
      await run(home, misled);
      expect(credentialsOf(await find(home, name))).toBe(credentials('second'));
    });
  });
}
