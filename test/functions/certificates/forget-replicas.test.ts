import { describe, expect, it } from 'vitest';
import forgetReplicas from '#functions/certificates/forget-replicas.ts';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { leases } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster } from '#shared/ports.ts';
import { leaseWith, namespace } from '#test/support/certificates/objects.ts';

const clock = clockAt('2030-01-01T00:00:00Z');
const minutesAgo = (minutes: number) => new Date(clock.now().getTime() - minutes * 60_000);

describe('forget-replicas', () => {
  it.each([
    ['keeps a living one', 0, 1],
    ['keeps one that may come back', 10, 1],
    ['deletes one that is long dead', 12, 0],
    ['keeps one whose clock is ahead', -60, 1],
  ])('%s', async (_, minutes, left) => {
    const cluster = clusterInMemory(leaseWith('a', { renewedAt: minutesAgo(minutes) }));
    expect(await run(cluster)).toEqual({ kind: 'done' });
    expect(await run(cluster)).toEqual({ kind: 'done' });
    expect(cluster.objects(leases)).toHaveLength(left);
  });

  it('keeps Leases that are no replicas', async () => {
    const { metadata, ...rest } = leaseWith('leader', { renewedAt: minutesAgo(99) });
    const cluster = clusterInMemory({
      ...rest,
      metadata: { ...metadata, labels: {} },
    } as KubeObject);
    await run(cluster);
    expect(cluster.objects(leases)).toHaveLength(1);
  });

  it('keeps one that was renewed in between', async () => {
    const cluster = clusterInMemory(leaseWith('a', { renewedAt: minutesAgo(99) }));
    const renewing: Cluster = {
      ...cluster,
      async delete(target, options) {
        const lease = leaseWith('a', { renewedAt: clock.now() });
        await cluster.apply(target, lease, { fieldManager: 'replica', force: true });
        return cluster.delete(target, options);
      },
    };
    await run(renewing);
    expect(cluster.objects(leases)).toHaveLength(1);
  });

  it('keeps one that was made anew under its name', async () => {
    const cluster = clusterInMemory(leaseWith('a', { renewedAt: minutesAgo(99) }));
    const remaking: Cluster = {
      ...cluster,
      async delete(target, options) {
        await cluster.delete({ kind: leases, namespace, name: target.name });
        await cluster.create(leases, leaseWith('a', { renewedAt: clock.now() }));
        return cluster.delete(target, options);
      },
    };
    await run(remaking);
    expect(cluster.objects(leases)).toHaveLength(1);
  });
});

async function run(cluster: Cluster) {
  const wake = { kind: 'period', function: 'forget-replicas' } as const;
  return forgetReplicas.handler(wake, { clock, cluster, settings: settingsFixed() });
}
