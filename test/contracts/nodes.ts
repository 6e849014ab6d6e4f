import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Nodes } from '#shared/ports.ts';

export type NodeStage = {
  readonly nodes: Nodes;
  put(name: string, labels: Readonly<Record<string, string>>): Promise<void>;
};

/** What `ports.Nodes` promises. */
export function nodesContract(name: string, open: () => Promise<NodeStage>): void {
  describe(name, () => {
    const run = randomBytes(4).toString('hex');
    let stage: NodeStage;

    beforeAll(async () => {
      stage = await open();
      await stage.put(`a-${run}`, { run, pool: 'cpu' });
      await stage.put(`b-${run}`, { run, pool: 'gpu' });
    });

    it('lists the nodes that carry a label, with all of theirs', async () => {
      expect(await stage.nodes.list({ matchLabels: { run, pool: 'cpu' } })).toEqual([
        { name: `a-${run}`, labels: { run, pool: 'cpu' } },
      ]);
    });

    it('lists by expression', async () => {
      const expressions = [{ key: 'pool', operator: 'In', values: ['cpu', 'gpu'] }] as const;
      const found = await stage.nodes.list({
        matchLabels: { run },
        matchExpressions: expressions,
      });
      expect(found.map((node) => node.name)).toEqual([`a-${run}`, `b-${run}`]);
    });

    it('lists none where no node matches', async () => {
      expect(await stage.nodes.list({ matchLabels: { run: 'other' } })).toEqual([]);
    });
  });
}
