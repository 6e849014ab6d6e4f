import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { budgets, deployments } from '#infra/emulator/controllers/shapes/kinds.ts';
import { isReady, type Pod } from '#infra/emulator/controllers/shapes/pod.ts';
import { certificatesSecret } from '#shared/domain/installation.ts';
import { isJsonObject } from '#shared/domain/json.ts';
import { mutatingWebhooks, nodes, pods, secrets } from '#shared/domain/kind.ts';
import { allows, isAlive, isRolledOut } from '#test/infra/emulator/controllers/stated.ts';
import { bundlesOf } from '#test/support/certificates/webhooks.ts';
import { type Started, startGatehouse } from '#test/support/gatehouse-process.ts';
import { calledAt, type Installed, install, settingsOf } from './installing.ts';
import { managed, namespaceIn, type Place, podOf, workers } from './place.ts';
import { affinityOf, soon, tried } from './webhook.ts';

const configuration = {
  kind: mutatingWebhooks,
  name: 'kim-snatch-mutating-webhook-configuration',
};

/** What is rendered is installed, runs, is called, and lives with an operator who drains nodes. */
export function installedContract(whose: string, place: Place): void {
  const { cluster, kit, controllers } = place;

  describe(`what is rendered, installed on ${whose}`, { timeout: 60_000 }, () => {
    let installed: Installed;
    let gatehouse: Started;
    const name = 'gatehouse-admission';

    const ownPods = async () => {
      const all = await kit.all<Pod>(pods, installed.namespace);
      return all.filter(isAlive);
    };
    const evict = ({ metadata }: Pod) =>
      cluster.evict({ kind: pods, namespace: installed.namespace, name: metadata.name ?? '' });

    beforeAll(async () => {
      installed = await install(place);
      gatehouse = await startGatehouse({
        settings: settingsOf(place, installed),
        kubeconfig: installed.kubeconfig,
      });
      await calledAt(place, installed, gatehouse.port);
    }, 60_000);

    afterAll(async () => {
      await gatehouse?.stop();
      await installed?.remove();
    });

    it('A16 B20 runs as many pods as it states, all of its priority', async () => {
      await kit.seen(deployments, installed.namespace, name, isRolledOut(2));
      const running = await ownPods();
      const priorityClassName = 'gatehouse-priority';
      expect(running.map(({ spec, status }) => ({ spec, status }))).toEqual(
        running.map(() => ({
          spec: expect.objectContaining({ priorityClassName, priority: 2_100_000 }),
          status: expect.objectContaining({ phase: 'Running' }),
        })),
      );
      expect(running.filter(isReady)).toHaveLength(2);
    });

    it('A16 B20 has its Secret, and its CA in every entry of its webhook', async () => {
      const { namespace } = installed;
      const secret = { kind: secrets, namespace, name: certificatesSecret };
      await vi.waitFor(async () => {
        expect(await cluster.find(secret)).toBeDefined();
        const found = await cluster.find(configuration);
        const lengths = found && bundlesOf(found).map(({ length }) => length);
        expect(Math.min(...(lengths ?? [0]))).toBeGreaterThan(10);
      }, soon);
    });

    it('is called at its Service, under the certificate that it made for itself', async () => {
      const team = await namespaceIn(place, managed);
      const label = (value: string | null) =>
        kit.merge(nodes, undefined, workers.plain, {
          metadata: { labels: { 'worker.gardener.cloud/pool': value } },
        });
      await label('cpu-worker-0');
      await vi.waitFor(async () => {
        const affinity = affinityOf(await tried(cluster, podOf(team, 'tried')));
        expect(isJsonObject(affinity)).toBe(true);
      }, soon);
      await label(null);
    });

    it('lets one of its pods be evicted, and the other one only when there is a ready one again', async () => {
      const { namespace } = installed;
      await kit.seen(budgets, namespace, name, allows(1));
      const [first, second] = await ownPods();
      if (first === undefined || second === undefined) throw new Error('there are not two');
      controllers.faults.fail({ kind: 'pull', image: 'gatehouse:*' });

      expect((await evict(first)).kind).toBe('written');
      await kit.seen(budgets, namespace, name, allows(0));
      expect((await evict(second)).kind).toBe('busy');
      controllers.faults.heal();
      await vi.waitFor(async () => expect((await evict(second)).kind).toBe('written'), soon);
      await kit.seen(deployments, namespace, name, isRolledOut(2));
    });

    it('lets go of a pod that has not become ready, whatever its budget says', async () => {
      const { namespace } = installed;
      await kit.seen(budgets, namespace, name, allows(1));
      controllers.faults.fail({ kind: 'pull', image: 'gatehouse:*' });
      const [first] = await ownPods();
      if (first !== undefined) await evict(first);
      await kit.seen(budgets, namespace, name, allows(0));
      const waiting = await vi.waitFor(async () => {
        const [found] = (await ownPods()).filter((pod) => !isReady(pod));
        if (found === undefined) throw new Error('nobody waits');
        return found;
      }, soon);

      expect((await evict(waiting)).kind).toBe('written');
      controllers.faults.heal();
      await kit.seen(deployments, namespace, name, isRolledOut(2));
    });
  });
}
