import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clusterRoles } from '#infra/emulator/controllers/shapes/kinds.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { measuresRecorded } from '#infra/emulator/testing/measures-recorded.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { type OpenCluster, openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import type { ReconcileFunction } from '#shared/define.ts';
import { certificatesSecret } from '#shared/domain/installation.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import {
  apiVersion,
  configMaps,
  type Kind,
  leases,
  mutatingWebhooks,
  nodes,
  pods,
  secrets,
} from '#shared/domain/kind.ts';
import type { Cluster } from '#shared/ports.ts';
import { type Wiring, wire } from '#shared/runtime/wire.ts';
import { builtInDefinitions } from '#test/infra/deploy/built-in.ts';
import { bundlesOf } from '#test/support/certificates/webhooks.ts';
import { made } from '../cluster/place.ts';
import { type Installed, install } from './installing.ts';
import { type Place, workers } from './place.ts';

const reconciles = (await builtInDefinitions()).filter(
  (each): each is ReconcileFunction => each.shape === 'reconcile',
);

const accessReviews: Kind = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  resource: 'selfsubjectaccessreviews',
  namespaced: false,
};

/** The roles that are rendered are enough for every function, and give nothing more. */
export function rightsContract(whose: string, place: Place): void {
  describe(`with the rendered rights alone, on ${whose}`, { timeout: 60_000 }, () => {
    let installed: Installed;
    let account: OpenCluster;
    let wiring: Wiring;

    beforeAll(async () => {
      installed = await install(place);
      const { namespace, kubeconfig } = installed;
      const login = { kind: 'kubeconfig', path: kubeconfig } as const;
      const metadata = { name: 'somebody-elses', namespace };
      await made({ ...place, namespace }, secrets, { apiVersion: 'v1', kind: 'Secret', metadata });
      account = await openCluster({ login });
      wiring = wire({
        settings: settingsFixed({ installation: { namespace } }),
        conditions: conditionsRecorded(),
        measures: measuresRecorded(),
        login,
      });
    }, 60_000);

    afterAll(async () => {
      account?.close();
      await wiring?.close();
      await installed?.remove();
    });

    it.each(reconciles.map((each) => [each.name, each] as const))('%s runs', async (name, each) => {
      const outcome = await each.handler({ kind: 'period', function: name }, wiring.portsOf(each));
      expect(['done', 'later']).toContain(outcome.kind);
    });

    it('the certificate is issued, and its CA stands in the webhook configuration', async () => {
      const issuing = reconciles.filter(({ capability }) => capability === 'certificates');
      for (const each of [...issuing, ...issuing, ...issuing, ...issuing]) {
        await each.handler({ kind: 'period', function: each.name }, wiring.portsOf(each));
      }
      const name = 'kim-snatch-mutating-webhook-configuration';
      const found = await place.cluster.find({ kind: mutatingWebhooks, name });
      expect(found && bundlesOf(found)[0]?.length).toBeGreaterThan(10);
    });

    it('a replica keeps its Lease, and an Event is written', async () => {
      const { namespace } = installed;
      const target = { kind: leases, namespace, name: 'gatehouse-admission-0' };
      const metadata = { name: target.name, namespace };
      const lease = { apiVersion: apiVersion(leases), kind: leases.kind, metadata };
      const options = { fieldManager: 'gatehouse' };
      expect((await account.apply(target, lease, options)).kind).toBe('written');
      expect((await account.delete(target)).kind).toBe('written');

      const group = 'events.k8s.io';
      expect(await mayI({ verb: 'create', group, resource: 'events', namespace: 'default' })).toBe(
        true,
      );
    });

    it.each<[string, (as: Cluster, namespace: string) => Promise<unknown>]>([
      [
        // Image trust reads those that pods name, one at a time.
        'a change of another Secret',
        (as, namespace) =>
          as.patch(
            { kind: secrets, namespace, name: 'somebody-elses' },
            { type: 'merge', body: { metadata: { labels: { a: 'b' } } } },
          ),
      ],
      ['Secrets as a list', (as, namespace) => firstOf(as, secrets, namespace)],
      [
        'the end of its own Secret',
        (as, namespace) => as.delete({ kind: secrets, namespace, name: certificatesSecret }),
      ],
      ['Secrets of another namespace', (as) => firstOf(as, secrets, 'default')],
      ['ConfigMaps', (as, namespace) => firstOf(as, configMaps, namespace)],
      ['Leases of another namespace', (as) => firstOf(as, leases, 'kube-system')],
      ['roles', (as) => firstOf(as, clusterRoles)],
      ['webhook configurations as a list', (as) => firstOf(as, mutatingWebhooks)],
      [
        'somebody else’s webhook configuration',
        (as) => find(as, mutatingWebhooks, { name: 'other' }),
      ],
      ['the end of a pod', (as, namespace) => as.delete({ kind: pods, namespace, name: 'x' })],
      [
        'a label on a node',
        (as) =>
          as.patch(
            { kind: nodes, name: workers.plain },
            { type: 'merge', body: { metadata: { labels: { a: 'b' } } } },
          ),
      ],
    ])('nobody is given %s', async (_, act) => {
      await expect(act(account, installed.namespace)).rejects.toThrow('403 Forbidden');
    });

    async function mayI(resourceAttributes: JsonObject): Promise<boolean> {
      const stated = { apiVersion: apiVersion(accessReviews), kind: accessReviews.kind };
      const review = { ...stated, metadata: { name: '' }, spec: { resourceAttributes } };
      const written = await account.create(accessReviews, review);
      const { status } = written.kind === 'written' ? written.object : { status: {} };
      return (status as { readonly allowed?: boolean }).allowed === true;
    }
  });
}

type At = { readonly namespace?: string; readonly name: string };

function find(as: Cluster, kind: Kind, at: At): Promise<unknown> {
  return as.find({ kind, ...at });
}

async function firstOf(as: Cluster, kind: Kind, namespace?: string): Promise<unknown> {
  const options = namespace === undefined ? {} : { namespace };
  for await (const object of as.list(kind, options)) return object;
  return undefined;
}
