import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { bootstrapContract } from './bootstrap.ts';
import { lockedRegistry } from './bootstrap-stage.ts';
import { openPlace } from './place.ts';

const registry = await lockedRegistry();
const emulated = await emulatedCluster();
const folder = mkdtempSync(join(tmpdir(), 'bootstrap-'));
const kubeconfig = join(folder, 'kubeconfig');
writeFileSync(kubeconfig, emulated.kubeconfig, { mode: 0o600 });
const { resolveImage } = registry;
const place = await openPlace({ ...emulated, kubeconfig, settle: '200ms', resolveImage });
afterAll(async () => {
  place.close();
  await Promise.all([emulated.close(), registry.close()]);
  rmSync(folder, { recursive: true });
});

bootstrapContract('the emulated cluster', place, registry.name);
