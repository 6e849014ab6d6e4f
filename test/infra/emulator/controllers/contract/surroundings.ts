import { expect, it } from 'vitest';
import {
  budgets,
  clusterRoles,
  customKinds,
  deployments,
  endpointSlices,
  type KindOf,
  namespaces,
  pods,
  serviceAccounts,
  services,
} from '#infra/emulator/controllers/shapes/kinds.ts';
import type { Thing } from '#infra/emulator/controllers/shapes/meta.ts';
import { isReady } from '#infra/emulator/controllers/shapes/pod.ts';
import { configMaps } from '#shared/domain/kind.ts';
import { found, type Kit } from '../kit.ts';
import {
  allows,
  deploymentOf,
  imageOf,
  isAlive,
  isRolledOut,
  owned,
  podSpec,
  podTemplate,
} from '../stated.ts';

/** What is around the pods. */
export function surroundingCases(kit: Kit): void {
  const { make, fresh, seen, all, faults, cluster } = kit;

  it('empty a namespace that is deleted, and let it go', async () => {
    const namespace = await fresh();
    await make(deployments, namespace, 'web', deploymentOf('web', { replicas: 2 }));
    await seen(deployments, namespace, 'web', isRolledOut(2));
    await cluster.delete({ kind: namespaces, name: namespace });
    await kit.gone({ kind: namespaces, name: namespace });
    expect(await all(pods, namespace)).toEqual([]);
  });

  it('give each namespace a service account for its pods', async () => {
    const namespace = await fresh();
    await seen(serviceAccounts, namespace, 'default', () => true);
    await seen(configMaps as KindOf<Thing>, namespace, 'kube-root-ca.crt', () => true);
  });

  it('collect what has lost its owner, and keep what still has one', async () => {
    const namespace = await fresh();
    const one = await make(configMaps, namespace, 'one', {});
    const two = await make(configMaps, namespace, 'two', {});
    await make(configMaps, namespace, 'of-one', owned(one));
    await make(configMaps, namespace, 'of-both', owned(one, two));
    await cluster.delete({ kind: configMaps, namespace, name: 'one' });
    await kit.gone({ kind: configMaps, namespace, name: 'of-one' });
    const kept = await seen(configMaps as KindOf<Thing>, namespace, 'of-both', ({ metadata }) => {
      return metadata.ownerReferences?.length === 1;
    });
    expect(kept.metadata.ownerReferences).toMatchObject([{ name: 'two' }]);
  });

  it('say where the pods of a service are, without those that are not ready', async () => {
    const namespace = await fresh();
    faults.fail({ kind: 'unready', image: 'nginx:sick' });
    const labels = { app: 'web' };
    const ports = [{ name: 'http', containerPort: 8_080 }];
    const good = podTemplate('web', 'nginx:1');
    const withPorts = { ...good.spec, containers: [{ ...good.spec.containers[0], ports }] };
    await make(pods, namespace, 'good', { metadata: { labels }, spec: withPorts });
    await make(pods, namespace, 'sick', { metadata: { labels }, spec: podSpec('nginx:sick') });
    const spec = { selector: labels, ports: [{ port: 80, targetPort: 'http' }] };
    await make(services, namespace, 'web', { spec });
    const pod = await seen(pods, namespace, 'good', isReady);
    // The sick one has no such port: it stands in a slice of its own.
    const slice = await found(async () => {
      const slices = await all(endpointSlices, namespace);
      return slices.find(({ endpoints }) =>
        (endpoints ?? []).some((each) => each.conditions.ready),
      );
    });
    expect(slice.ports).toMatchObject([{ port: 8_080 }]);
    const addresses = slice.endpoints.flatMap((each) => each.addresses);
    expect(addresses).toEqual([pod.status?.podIP]);
    faults.heal('nginx:sick');
  });

  it('make a cluster role of the roles that it selects', async () => {
    const name = `sum-${Math.random().toString(36).slice(2)}`;
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
    await make(clusterRoles, undefined, `${name}-part`, {
      metadata: { labels: { [name]: 'true' } },
      rules,
    });
    const clusterRoleSelectors = [{ matchLabels: { [name]: 'true' } }];
    await make(clusterRoles, undefined, name, { aggregationRule: { clusterRoleSelectors } });
    const sum = await seen(clusterRoles, undefined, name, (role) => (role.rules ?? []).length > 0);
    expect(sum.rules).toEqual(rules);
  });

  it('hold back an eviction that a budget does not allow', async () => {
    const namespace = await fresh();
    await make(deployments, namespace, 'web', deploymentOf('web', { replicas: 2 }));
    const selector = { matchLabels: { app: 'web' } };
    await make(budgets, namespace, 'web', { spec: { maxUnavailable: 1, selector } });
    await seen(deployments, namespace, 'web', isRolledOut(2));
    const budget = await seen(budgets, namespace, 'web', allows(1));
    expect(budget.status).toMatchObject({
      currentHealthy: 2,
      desiredHealthy: 1,
      expectedPods: 2,
      observedGeneration: 1,
    });
    faults.fail({ kind: 'unready', image: 'nginx:ill' });
    const sick = podTemplate('web', 'nginx:ill');
    await kit.merge(deployments, namespace, 'web', {
      spec: { template: sick, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } },
    });
    await seen(budgets, namespace, 'web', allows(0));
    const healthy = (await all(pods, namespace))
      .filter(isAlive)
      .find((pod) => imageOf(pod) === 'nginx:1');
    const target = { kind: pods, namespace, name: healthy?.metadata.name ?? '' };
    expect(await cluster.evict(target)).toMatchObject({ kind: 'busy' });

    faults.heal('nginx:ill');
    const evicted = await found(async () => {
      const [pod] = (await all(pods, namespace)).filter(isAlive);
      const again = { kind: pods, namespace, name: pod?.metadata.name ?? '' };
      return (await cluster.evict(again)).kind === 'written' ? again : undefined;
    });
    await kit.gone(evicted);
    // The entry that the eviction made is cleared as soon as the pod goes.
    await seen(budgets, namespace, 'web', (each) => {
      return allows(1)(each) && Object.keys(each.status?.disruptedPods ?? {}).length === 0;
    });
  });

  it('ask the owner of the pods of a budget how many there are to be, whatever kind it is', async () => {
    const namespace = await fresh();
    const group = `${namespace}.example`;
    await make(customKinds, undefined, `things.${group}`, scaledDefinition(group));
    const things = { group, version: 'v1', kind: 'Thing', resource: 'things', namespaced: true };
    const stated = { spec: { replicas: 3 } };
    const thing = await found(() => make(things, namespace, 't', stated).catch(() => undefined));
    const [reference] = owned(thing).metadata.ownerReferences;
    const metadata = {
      labels: { app: 'thing' },
      ownerReferences: [{ ...reference, controller: true }],
    };
    await make(pods, namespace, 'one', { metadata, spec: podSpec('nginx:1') });
    const selector = { matchLabels: { app: 'thing' } };
    await make(budgets, namespace, 'thing', { spec: { maxUnavailable: 1, selector } });
    const budget = await seen(budgets, namespace, 'thing', ({ status }) => {
      return status?.expectedPods === 3;
    });
    expect(budget.status).toMatchObject({ desiredHealthy: 2 });
  });
}

function scaledDefinition(group: string) {
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const version = { name: 'v1', served: true, storage: true };
  return {
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing' },
      versions: [{ ...version, subresources: { scale }, schema: { openAPIV3Schema } }],
    },
  };
}
