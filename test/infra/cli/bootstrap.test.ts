import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCli } from '#infra/cli/main.ts';
import { painter } from '#infra/cli/output.ts';
import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { type Kind, namespaces, pods } from '#shared/domain/kind.ts';
import { marks } from '#shared/domain/pod-bootstrap/provenance.ts';
import { readEnvironment } from '#shared/runtime/config.ts';

const accounts: Kind = { ...pods, kind: 'ServiceAccount', resource: 'serviceaccounts' };
const folder = mkdtempSync(join(tmpdir(), 'bootstrap-status-'));
const emulated = await emulatedCluster();
const [kubeconfig, config, none] = ['kubeconfig', 'good.yaml', 'none.yaml'].map((name) =>
  join(folder, name),
);
writeFileSync(kubeconfig ?? '', emulated.tokenKubeconfig, { mode: 0o600 });
writeFileSync(
  config ?? '',
  'podBootstrap: {document: {availableFeatures: [rt-cfg.kyma-project.io/set-fips-mode]}}\n',
);
writeFileSync(none ?? '', '{}\n');
const cluster = await openCluster({
  login: { kind: 'kubeconfig-text', text: emulated.tokenKubeconfig },
});
afterAll(async () => {
  cluster.close();
  await emulated.close();
  rmSync(folder, { recursive: true });
});

async function status(...args: readonly string[]) {
  let [out, err] = ['', ''];
  const exit = await runCli(['bootstrap', 'status', '--kubeconfig', kubeconfig ?? '', ...args], {
    environment: readEnvironment({}),
    terminal: {
      print: (said) => {
        out += said;
      },
      complain: (said) => {
        err += said;
      },
      read: async () => '',
      paint: painter(false),
    },
  });
  return { exit, out, err };
}

async function make(namespace: string, name: string, annotations = {}): Promise<void> {
  const at = (metadata: object, kind: string) => ({
    apiVersion: 'v1',
    kind,
    metadata: { ...metadata },
  });
  await cluster.create(namespaces, at({ name: namespace }, 'Namespace'));
  await cluster.create(accounts, at({ name: 'default', namespace }, 'ServiceAccount'));
  const spec = { containers: [{ name: 'web', image: 'web:1' }] };
  const pod = { ...at({ name, namespace, annotations }, 'Pod'), spec };
  expect((await cluster.create(pods, pod)).kind).toBe('written');
}

describe('gatehouse bootstrap status', () => {
  it('says by which configuration each pod of a namespace was made, and what it lacks', async () => {
    await make('team-a', 'missed');
    const older = JSON.stringify({
      version: 1,
      features: ['set-fips-mode'],
      configuration: 'older',
    });
    await make('team-a', 'old', { [marks.provenance]: older });
    await make('team-b', 'off', { 'rt-cfg.kyma-project.io/all': 'false' });

    const { exit, out } = await status('--config', config ?? '', '-n', 'team-a', '-o', 'json');
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toEqual({
      configuration: expect.stringMatching(/^[0-9a-f]{64}$/),
      pods: [
        {
          ...{ namespace: 'team-a', pod: 'missed', isCurrent: false, features: [] },
          ...{ states: ['missed'], excuse: 'orphan' },
          lacks: [expect.stringContaining('FIPS mode')],
        },
        {
          ...{ namespace: 'team-a', pod: 'old', configuration: 'older', isCurrent: false },
          ...{ features: ['set-fips-mode'], states: ['staleConfiguration'], excuse: 'orphan' },
          lacks: [expect.stringContaining('FIPS mode')],
        },
      ],
    });
  });

  it('prints a line a pod, of all namespaces where none is named', async () => {
    const { out } = await status('--config', config ?? '');
    expect(out).toMatch(/^configuration [0-9a-f]{12}\n/);
    expect(out).toMatch(/^team-a +missed +- +- +missed +orphan$/m);
    expect(out).toMatch(/^team-a +old +older \(older\) +- +staleConfiguration +orphan$/m);
    expect(out).toMatch(/^team-b +off +- +- +current +-$/m);
  });

  it('says where it has looked when nothing is done to pods', async () => {
    const { exit, err } = await status('--config', none ?? '');
    expect(exit).toBe(1);
    expect(err).toContain('ConfigMap kyma-system/rt-bootstrapper-config');
  });
});
