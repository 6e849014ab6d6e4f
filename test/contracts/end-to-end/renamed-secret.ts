import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Wake } from '#events/kinds.ts';
import replicatePullSecret from '#functions/pod-bootstrap/replicate-pull-secret.ts';
import { bootstrapDocumentsInMemory } from '#infra/emulator/testing/bootstrap-documents-in-memory.ts';
import { eventsRecorded } from '#infra/emulator/testing/events-recorded.ts';
import { mirrorInMemory } from '#infra/emulator/testing/mirror-in-memory.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { namespaces, secrets } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { done } from '#shared/domain/outcome.ts';
import { replicaLabels } from '#shared/domain/pod-bootstrap/pull-secret-replica.ts';
import { runOnce } from '#shared/runtime/reconcile.ts';
import { documentText, namespaceOf, pullSecret, secretName } from '#test/support/pull-secret.ts';
import { running } from '#test/support/running.ts';
import { objectOf } from '../cluster/place.ts';
import type { Place } from './place.ts';

const former = secretName;
const name = 'platform-credentials';

/** Whose a Secret is, is read from the fields' managers: only a server keeps those as servers do. */
export function renamedSecretContract(whose: string, { cluster }: Place): void {
  describe(`a pull secret that is renamed, on ${whose}`, () => {
    const mark = `renamed-${randomBytes(4).toString('hex')}`;
    const [home, team, other] = [`${mark}-home`, `${mark}-team`, `${mark}-other`];

    const run = async (namespace: string, names: { name: string; formerName?: string }) => {
      const at = running({
        settings: settingsFixed({ podBootstrap: { pullSecret: { namespace: home, ...names } } }),
        bootstrapDocument: bootstrapDocumentsInMemory(documentText()),
        ...{ cluster, mirror: mirrorInMemory(), events: eventsRecorded() },
      });
      const wake: Wake = {
        ...{ kind: 'object', cluster: 'main', group: '', resource: 'namespaces', namespace: '' },
        ...{ name: namespace, uid: 'any', deleted: false },
      };
      expect(await runOnce(replicatePullSecret, wake, at)).toEqual(done);
    };
    const create = async (secret: KubeObject) => objectOf(await cluster.create(secrets, secret));
    const find = (namespace: string, secret: string) =>
      cluster.find({ kind: secrets, namespace, name: secret });
    const namesIn = async (namespace: string) => {
      const found = await Promise.all([former, name].map((each) => find(namespace, each)));
      return found.flatMap((each) => each?.metadata.name ?? []);
    };

    beforeAll(async () => {
      for (const each of [home, team, other]) {
        objectOf(await cluster.create(namespaces, namespaceOf(each)));
      }
      await create(pullSecret(home, 'first'));
      await run(team, { name: former });
      await create(pullSecret(home, 'first', { metadata: { name, namespace: home } }));
    });

    afterAll(async () => {
      for (const each of [home, team, other]) {
        await cluster.delete({ kind: namespaces, name: each });
      }
    });

    it('is taken from where it was made under its former name, once the new one is there', async () => {
      expect(await namesIn(team)).toEqual([former]);
      await run(team, { name, formerName: former });
      expect(await namesIn(team)).toEqual([name]);
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
  });
}
