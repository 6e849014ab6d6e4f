import { afterAll, beforeAll, expect, it } from 'vitest';
import { getterOf } from '#infra/emulator/cluster/schemas/published/make.ts';
import { publishedBy } from '#infra/emulator/cluster/schemas/published/published-groups.ts';
import { columnsOf } from '#test/contracts/columns/columns-of.ts';
import { type Kube, startKube } from './kube/start.ts';

let kube: Kube;

beforeAll(async () => {
  kube = await startKube({ apiserverArgs: publishedBy });
}, 120_000);

afterAll(() => kube.stop());

/** `vitest -u` writes it down anew. */
it('shows of each kind what is written down for the emulated one', async () => {
  const bytes = getterOf(kube.kubeconfig);
  const columns = await columnsOf(async (path, accept) =>
    JSON.parse((await bytes(path, accept)).toString()),
  );
  const text = [...columns].map(([kind, shown]) => `${kind}: ${shown}\n`).join('');
  await expect(text).toMatchFileSnapshot('../contracts/columns/recorded.txt');
});
