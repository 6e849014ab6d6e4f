import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import reportStrays from '#functions/node-affinity/report-strays.ts';
import { isReady, type Pod } from '#infra/emulator/controllers/shapes/pod.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { measuresRecorded } from '#infra/emulator/testing/measures-recorded.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { namespaces, nodes, pods } from '#shared/domain/kind.ts';
import { wire } from '#shared/runtime/wire.ts';
import { ofMutating } from '#test/support/certificates/webhooks.ts';
import { type Started, startGatehouse } from '#test/support/gatehouse-process.ts';
import { eventsIn } from '../cluster/events-in.ts';
import { managed, namespaceIn, type Place, podOf, workers } from './place.ts';
import { affinityOf, answers, registerWebhook, soon, tried } from './webhook.ts';

const poolLabel = 'worker.gardener.cloud/pool';

const preference = {
  nodeAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      {
        weight: 10,
        preference: {
          matchExpressions: [{ key: poolLabel, operator: 'In', values: ['cpu-worker-0'] }],
        },
      },
    ],
  },
};

/** Our process, the webhook that the API server calls it by, and pods that run. */
export function nodeAffinityContract(whose: string, place: Place): void {
  const { cluster, kit } = place;

  describe(`node affinity, called by ${whose}`, { timeout: 60_000 }, () => {
    let gatehouse: Started;
    let installation: string;
    let team: string;

    const settings = (nodeAffinity: object = {}) => ({
      server: { address: '127.0.0.1', port: 0, probePort: 0, drainSeconds: 0 },
      installation: { namespace: installation },
      certificates: { dnsNames: ['localhost'], settle: place.settle },
      nodeAffinity: { pools: ['cpu-worker-0'], ...nodeAffinity },
    });
    const dry = async (namespace: string, spec?: JsonObject) =>
      affinityOf(await tried(cluster, podOf(namespace, 'tried', spec)));
    const running = async (namespace: string, name: string, spec?: JsonObject) => {
      await cluster.create(pods, podOf(namespace, name, spec));
      return kit.seen<Pod>(pods, namespace, name, isReady);
    };
    const label = (name: string, value: string | null) =>
      kit.merge(nodes, undefined, name, { metadata: { labels: { [poolLabel]: value } } });
    const becomesManaged = (name: string) =>
      kit.merge(namespaces, undefined, name, { metadata: { labels: managed } });

    beforeAll(async () => {
      [installation, team] = [await namespaceIn(place), await namespaceIn(place, managed)];
      gatehouse = await startGatehouse({ settings: settings(), kubeconfig: place.kubeconfig });
      await registerWebhook({ cluster, port: gatehouse.port, installation });
      await answers(cluster, team);
    }, 60_000);

    afterAll(async () => {
      await cluster.delete(ofMutating);
      await gatehouse?.stop();
      await label(workers.pool, null);
    });

    it('leaves pods alone while the pool has no node, follows it when it gets one, and when it goes', async () => {
      expect(await dry(team)).toBeUndefined();
      await label(workers.pool, 'cpu-worker-0');
      await vi.waitFor(async () => expect(await dry(team)).toEqual(preference), soon);
      await label(workers.pool, null);
      await vi.waitFor(async () => expect(await dry(team)).toBeUndefined(), soon);
      await label(workers.pool, 'cpu-worker-0');
      await vi.waitFor(async () => expect(await dry(team)).toEqual(preference), soon);
    });

    it('A8 brings a pod of a managed namespace to the pool, where it runs', async () => {
      const pod = await running(team, 'pause');
      expect(pod.spec.affinity).toEqual(preference);
      expect(pod.spec.nodeName).toBe(workers.pool);
    });

    it('A9 leaves a namespace alone that is not managed, and kube-system even if it is', async () => {
      const other = await namespaceIn(place);
      const pod = await running(other, 'pause');
      expect(pod.spec.affinity).toBeUndefined();

      await becomesManaged('kube-system');
      await vi.waitFor(async () => expect(await dry('kube-system')).toBeUndefined());
    });

    it('keeps what the pod says itself', async () => {
      expect(await dry(team, { nodeSelector: { [poolLabel]: 'theirs' } })).toBeUndefined();
    });

    it('sees a namespace that becomes managed', async () => {
      const name = await namespaceIn(place);
      expect(await dry(name)).toBeUndefined();
      await becomesManaged(name);
      await vi.waitFor(async () => expect(await dry(name)).toEqual(preference), soon);
    });

    it('reports the pods that run outside the pool, and no others', async () => {
      await running(team, 'stray', { nodeSelector: { 'kubernetes.io/hostname': workers.plain } });
      const measures = measuresRecorded();
      const wiring = wire({
        ...{ settings: settingsFixed(settings()), conditions: conditionsRecorded(), measures },
        login: place.login,
      });
      const wake = { kind: 'period', function: reportStrays.name } as const;
      await reportStrays.handler(wake, wiring.portsOf(reportStrays));
      await wiring.close();

      const ours = measures
        .find('node_affinity_strays')
        ?.filter(({ labels }) => labels['namespace'] === team);
      expect(ours).toEqual([{ labels: { namespace: team }, value: 1 }]);
      const { uid = '' } = (await cluster.find({ kind: namespaces, name: team }))?.metadata ?? {};
      // Our process may have come first.
      expect(await eventsIn(cluster, uid)).toContainEqual({
        ...{ type: 'Warning', reason: 'PodsOutsideNodePool', count: expect.any(Number) },
        note: expect.stringContaining('outside the node pool cpu-worker-0: stray.'),
      });
    });

    it('takes a good change of its configuration, and keeps the last good one under a bad one', async () => {
      const weight = async () => JSON.stringify(await dry(team));
      const ready = () => fetch(`http://127.0.0.1:${gatehouse.probePort}/readyz`);
      gatehouse.configure(settings({ weight: 33 }));
      await vi.waitFor(async () => expect(await weight()).toContain('"weight":33'), soon);

      gatehouse.configure('nodeAffinity: { wieght: 3 }');
      await vi.waitFor(async () => {
        const answer = await ready();
        expect(answer.status).toBe(200);
        expect(await answer.text()).toMatch(/"degraded".*did you mean nodeAffinity.weight/);
      }, soon);
      expect(await weight()).toContain('"weight":33');
    });
  });
}
