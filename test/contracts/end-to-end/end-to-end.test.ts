import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { certificatesContract } from './certificates.ts';
import { installedContract } from './installed.ts';
import { nodeAffinityContract } from './node-affinity.ts';
import { ownedSecretContract } from './owned-secret.ts';
import { openPlace } from './place.ts';
import { pullSecretContract } from './pull-secret.ts';
import { rightsContract } from './rights.ts';

/**
 * The real server's alone, in test/real: a rotation under load, how our process starts and ends, Knative and Lambda,
 * what takes a database, and the restricted profile, which the emulated cluster does not enforce.
 */
const emulated = await emulatedCluster();
const folder = mkdtempSync(join(tmpdir(), 'end-to-end-'));
const kubeconfig = join(folder, 'kubeconfig');
writeFileSync(kubeconfig, emulated.kubeconfig, { mode: 0o600 });
const place = await openPlace({ ...emulated, kubeconfig, settle: '200ms' });
afterAll(async () => {
  place.close();
  await emulated.close();
  rmSync(folder, { recursive: true });
});

nodeAffinityContract('the emulated cluster', place);
installedContract('the emulated cluster', place);
rightsContract('the emulated cluster', place);
ownedSecretContract('the emulated cluster', place);
pullSecretContract('the emulated cluster', place, { namespaces: 12, withinMs: 20_000 });

certificatesContract('the emulated cluster', place, {
  lifetimes: { caLifetime: '2h', leafLifetime: '1h', renewBefore: '1m', settle: '200ms' },
  upWithinMs: 30_000,
});
