import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { imageTrustContract } from './image-trust.ts';
import { openPlace } from './place.ts';

/** A cluster of its own: the webhooks of two suites would be one configuration. */
const emulated = await emulatedCluster();
const folder = mkdtempSync(join(tmpdir(), 'image-trust-'));
const kubeconfig = join(folder, 'kubeconfig');
writeFileSync(kubeconfig, emulated.kubeconfig, { mode: 0o600 });
const place = await openPlace({ ...emulated, kubeconfig, settle: '200ms' });
afterAll(async () => {
  place.close();
  await emulated.close();
  rmSync(folder, { recursive: true });
});

imageTrustContract('the emulated cluster', place);
