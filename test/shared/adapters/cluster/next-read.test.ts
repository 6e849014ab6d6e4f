import { describe, expect, it, vi } from 'vitest';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { liveNamespaces } from '#shared/adapters/cluster/namespaces.ts';
import { nextRead } from '#shared/adapters/cluster/next-read.ts';
import { liveNodes } from '#shared/adapters/cluster/nodes.ts';
import type { Cluster } from '#shared/ports.ts';
import { labelled } from '#test/contracts/cluster/labelled.ts';

function counted() {
  const reads: { readonly key: string; readonly answer: PromiseWithResolvers<string> }[] = [];
  const ask = nextRead((key) => {
    const answer = Promise.withResolvers<string>();
    reads.push({ key, answer });
    return answer.promise;
  });
  return { reads, ask };
}

const aTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('a read that is shared', () => {
  it('is one for all who ask at once, and another for those who ask while it is under way', async () => {
    const { reads, ask } = counted();
    const first = Promise.all([ask('a'), ask('a'), ask('a')]);
    await aTurn();
    const second = Promise.all([ask('a'), ask('a')]);
    await aTurn();
    expect(reads).toHaveLength(1);
    reads[0]?.answer.resolve('before');
    expect(await first).toEqual(['before', 'before', 'before']);
    await aTurn();
    expect(reads).toHaveLength(2);
    reads[1]?.answer.resolve('after');
    expect(await second).toEqual(['after', 'after']);
  });

  it('is of one key alone, and fails for those who share it and no others', async () => {
    const { reads, ask } = counted();
    const [one, other] = [ask('a').catch(String), ask('b')];
    await aTurn();
    reads[0]?.answer.reject(new Error('away'));
    expect(await one).toBe('Error: away');
    await aTurn();
    reads[1]?.answer.resolve('b');
    expect(await other).toBe('b');
    expect(reads.map(({ key }) => key)).toEqual(['a', 'b']);
  });

  it('waits for one that hangs no longer than a second', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { reads, ask } = counted();
      void ask('a');
      await aTurn();
      const late = ask('a');
      await aTurn();
      vi.advanceTimersByTime(999);
      await aTurn();
      expect(reads).toHaveLength(1);
      vi.advanceTimersByTime(1);
      await aTurn();
      reads[1]?.answer.resolve('at once');
      expect(await late).toBe('at once');
    } finally {
      vi.useRealTimers();
    }
  });

  it('waits for none of another key', async () => {
    const { reads, ask } = counted();
    const asked = [ask('a'), ask('a'), ask('b')];
    await aTurn();
    expect(reads.map(({ key }) => key)).toEqual(['a', 'b']);
    for (const { key, answer } of reads) answer.resolve(key);
    expect(await Promise.all(asked)).toEqual(['a', 'a', 'b']);
  });
});

describe('runs that ask the cluster at once', () => {
  async function stage() {
    const memory = clusterInMemory();
    const labels = { tier: 'before' };
    await labelled(memory, { kind: 'Namespace', name: 'a', labels });
    await labelled(memory, { kind: 'Node', name: 'a', labels });
    let reads = 0;
    const counting = <A extends unknown[], R>(read: (...given: A) => R) => {
      return (...given: A): R => {
        reads += 1;
        return read(...given);
      };
    };
    const { find, list } = memory;
    const cluster = { ...memory, find: counting(find), list: counting(list) };
    return { memory, cluster, reads: () => reads };
  }

  type Labelled = { readonly labels: Readonly<Record<string, string>> };
  const [first, other] = ['before', 'after'].map((tier) => ({ matchLabels: { tier } }));

  it.each<[string, 'Namespace' | 'Node', (cluster: Cluster) => () => Promise<unknown>]>([
    [
      'a namespace',
      'Namespace',
      (cluster) => {
        const { find } = liveNamespaces(cluster);
        return () => find('a');
      },
    ],
    [
      'a namespace as it is now',
      'Namespace',
      (cluster) => {
        const { findLive } = liveNamespaces(cluster);
        return () => findLive('a');
      },
    ],
    [
      'namespaces',
      'Namespace',
      (cluster) => {
        const { list } = liveNamespaces(cluster);
        return async () => (await list({}))[0];
      },
    ],
    [
      'nodes',
      'Node',
      (cluster) => {
        const { list } = liveNodes(cluster);
        return async () => (await list({}))[0];
      },
    ],
  ])('share a read of %s that none of them asked too early for', async (_, kind, reading) => {
    const { memory, cluster, reads } = await stage();
    const ask = reading(cluster);
    const early = Array.from({ length: 500 }, ask);
    await new Promise(process.nextTick);
    await labelled(memory, { kind, name: 'a', labels: { tier: 'after' } });
    const late = await Promise.all(Array.from({ length: 500 }, ask));
    await Promise.all(early);
    expect(reads()).toBe(2);
    expect(late.map((found) => (found as Labelled).labels['tier'])).toEqual(
      Array(500).fill('after'),
    );
  });

  it('share none where they ask for others', async () => {
    const { cluster, reads } = await stage();
    const { find, list } = liveNamespaces(cluster);
    const asked = [find('a'), find('b'), list(first ?? {}), list(other ?? {})];
    expect(await Promise.all(asked)).toMatchObject([{ name: 'a' }, undefined, [{ name: 'a' }], []]);
    expect(reads()).toBe(4);
  });
});
