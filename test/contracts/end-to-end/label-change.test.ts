import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type EmulatedCluster, emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { openStage, type Stage, untilTold } from '#test/real/label-change/stage.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** The second that is promised is of a machine on which no other tests run: it is measured in test/real. */
const patienceMs = 10_000;

let emulated: EmulatedCluster;
let stage: Stage;
beforeAll(async () => {
  emulated = await emulatedCluster();
  const kubeconfigToken = join(temporaryFolder('label-change-'), 'kubeconfig');
  writeFileSync(kubeconfigToken, emulated.tokenKubeconfig, { mode: 0o600 });
  stage = await openStage({ url: emulated.url, kubeconfigToken });
}, 60_000);
afterAll(async () => {
  await stage?.close();
  await emulated?.close();
});

it('a label of a namespace that the emulated cluster has acknowledged is known to admission, which asks nobody', async () => {
  await vi.waitFor(async () => expect(await stage.isStale()).toBe(false), patienceMs);
  for (const label of ['one', 'two', 'three']) {
    await stage.relabel(label);
    await untilTold(stage, label, patienceMs);
  }
  // It was told from the mirror: nothing else hears of a change.
  expect(await stage.isStale()).toBe(false);
}, 60_000);
