import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Namespaces } from '#shared/ports.ts';

export type NamespaceStage = {
  readonly namespaces: Namespaces;
  put(name: string, labels: Readonly<Record<string, string>>): Promise<void>;
};

/** What `ports.Namespaces` promises. */
export function namespacesContract(name: string, open: () => Promise<NamespaceStage>): void {
  describe(name, () => {
    const run = randomBytes(4).toString('hex');
    let stage: NamespaceStage;

    beforeAll(async () => {
      stage = await open();
      await stage.put(`a-${run}`, { run, tier: 'front' });
      await stage.put(`b-${run}`, { run, tier: 'back' });
    });

    it('finds a namespace with its labels and the one that names it', async () => {
      expect(await stage.namespaces.find(`a-${run}`)).toEqual({
        name: `a-${run}`,
        uid: expect.stringMatching(/./),
        labels: { run, tier: 'front', 'kubernetes.io/metadata.name': `a-${run}` },
        annotations: {},
      });
    });

    it('finds no namespace of a name that nobody has', async () => {
      expect(await stage.namespaces.find(`nobody-${run}`)).toBeUndefined();
      expect(await stage.namespaces.findLive(`nobody-${run}`)).toBeUndefined();
    });

    it('reads live what has just changed', async () => {
      await stage.namespaces.find(`b-${run}`);
      await stage.put(`b-${run}`, { run, tier: 'moved' });
      const live = await stage.namespaces.findLive(`b-${run}`);
      expect(live?.labels).toMatchObject({ tier: 'moved' });
    });

    it('lists by label', async () => {
      const found = await stage.namespaces.list({ matchLabels: { run, tier: 'front' } });
      expect(found.map((namespace) => namespace.name)).toEqual([`a-${run}`]);
      expect(found[0]?.labels).toMatchObject({ tier: 'front' });
    });

    it('lists nothing where nobody matches', async () => {
      expect(await stage.namespaces.list({ matchLabels: { run: 'other' } })).toEqual([]);
    });
  });
}
