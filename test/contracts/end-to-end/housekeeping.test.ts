import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { housekeepingContract } from './housekeeping.ts';
import { openPlace } from './place.ts';

/** A cluster of its own: the pods of other suites are none that anybody should restart. */
const emulated = await emulatedCluster();
const folder = mkdtempSync(join(tmpdir(), 'housekeeping-'));
const kubeconfig = join(folder, 'kubeconfig');
writeFileSync(kubeconfig, emulated.kubeconfig, { mode: 0o600 });
const place = await openPlace({ ...emulated, kubeconfig, settle: '200ms' });
afterAll(async () => {
  place.close();
  await emulated.close();
  rmSync(folder, { recursive: true });
});

housekeepingContract('the emulated cluster', place, {
  ...{ owners: 2, replicas: 3, perMinute: 6_000, withinMs: 90_000 },
});
