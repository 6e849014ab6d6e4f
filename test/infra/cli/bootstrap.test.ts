import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCli } from '#infra/cli/main.ts';
import { painter } from '#infra/cli/output.ts';
import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { statefulSets } from '#infra/emulator/controllers/shapes/kinds.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import type { Json, JsonObject } from '#shared/domain/json.ts';
import { configMaps, type Kind, namespaces, pods } from '#shared/domain/kind.ts';
import { marks } from '#shared/domain/pod-bootstrap/provenance.ts';
import { readEnvironment } from '#shared/runtime/config.ts';

const accounts: Kind = { ...pods, kind: 'ServiceAccount', resource: 'serviceaccounts' };
const folder = mkdtempSync(join(tmpdir(), 'bootstrap-status-'));
const emulated = await emulatedCluster();
const [kubeconfig, config, none, withSecret, paused, measured] = [
  ...['kubeconfig', 'good.yaml', 'none.yaml', 'secret.yaml', 'paused.yaml', 'measured.yaml'],
].map((name) => join(folder, name));
writeFileSync(kubeconfig ?? '', emulated.tokenKubeconfig, { mode: 0o600 });
writeFileSync(
  config ?? '',
  'podBootstrap: {document: {availableFeatures: [rt-cfg.kyma-project.io/set-fips-mode]}}\n',
);
writeFileSync(none ?? '', '{}\n');
const both = '[rt-cfg.kyma-project.io/set-fips-mode, rt-cfg.kyma-project.io/add-img-pull-secret]';
writeFileSync(
  withSecret ?? '',
  `podBootstrap: {document: {availableFeatures: ${both}}, restart: {grace: 0s}}\n`,
);
for (const [file, mode] of [
  [paused, 'paused'],
  [measured, 'dryRun'],
]) {
  writeFileSync(
    file ?? '',
    `podBootstrap: {document: {availableFeatures: ${both}}, restart: {mode: ${mode}}}\n`,
  );
}
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

async function make(namespace: string, name: string, metadata = {}, env: Json = []): Promise<void> {
  const at = (metadata: object, kind: string) => ({
    apiVersion: 'v1',
    kind,
    metadata: { ...metadata },
  });
  await cluster.create(namespaces, at({ name: namespace }, 'Namespace'));
  await cluster.create(accounts, at({ name: 'default', namespace }, 'ServiceAccount'));
  const spec = { containers: [{ name: 'web', image: 'web:1', env }] };
  const pod = { ...at({ ...metadata, name, namespace }, 'Pod'), spec };
  expect((await cluster.create(pods, pod)).kind).toBe('written');
}

async function makeOwner(namespace: string, name: string, updateStrategy: JsonObject) {
  await cluster.create(namespaces, {
    ...{ apiVersion: 'v1', kind: 'Namespace' },
    metadata: { name: namespace },
  });
  const labels = { app: name };
  const containers = [{ name: 'web', image: 'web:1' }];
  const template = { metadata: { labels }, spec: { containers } };
  const spec = { selector: { matchLabels: labels }, serviceName: name, template, updateStrategy };
  const stated = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, namespace },
    spec,
  };
  const made = await cluster.create(statefulSets, stated);
  return made.kind === 'written' ? (made.object.metadata.uid ?? '') : '';
}

const place = {
  kind: configMaps,
  ...{ namespace: 'kyma-system', name: 'rt-bootstrapper-config' },
};

/** Instead of the one that is there. */
async function writeDocument(data: JsonObject | undefined) {
  const found = await cluster.find(place);
  if (found !== undefined) await cluster.delete(place);
  if (data === undefined) return;
  const { namespace, name } = place;
  const namespaced = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await cluster.create(namespaces, namespaced);
  const metadata = { name, namespace };
  const made = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
  expect((await cluster.create(configMaps, made)).kind).toBe('written');
}

describe('gatehouse bootstrap status', () => {
  it('says by which configuration each pod of a namespace was made, and what it lacks', async () => {
    await make('team-a', 'missed');
    const older = JSON.stringify({
      version: 1,
      features: ['set-fips-mode'],
      configuration: 'older',
    });
    const annotations = { [marks.provenance]: older };
    await make('team-a', 'copied', { annotations });
    await make('team-a', 'old', { annotations }, [{ name: 'FIPS_MODE_ENABLED', value: 'true' }]);
    const odd = JSON.stringify({ features: ['__proto__'], configuration: 'x' });
    await make('team-d', 'odd', { annotations: { [marks.provenance]: odd } });
    await make('team-b', 'off', { annotations: { 'rt-cfg.kyma-project.io/all': 'false' } });

    const { exit, out } = await status('--config', config ?? '', '-n', 'team-a', '-o', 'json');
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toEqual({
      configuration: expect.stringMatching(/^[0-9a-f]{64}$/),
      hindered: expect.stringContaining('no webhook is registered'),
      pods: [
        {
          ...{ namespace: 'team-a', pod: 'copied', isCurrent: false, features: [] },
          ...{ states: ['missed'], excuse: 'orphan' },
          lacks: [expect.stringContaining('FIPS mode')],
        },
        {
          ...{ namespace: 'team-a', pod: 'missed', isCurrent: false, features: [] },
          ...{ states: ['missed'], excuse: 'orphan' },
          lacks: [expect.stringContaining('FIPS mode')],
        },
        {
          ...{ namespace: 'team-a', pod: 'old', configuration: 'older', isCurrent: false },
          ...{ features: ['set-fips-mode'], states: ['staleConfiguration'], excuse: 'not-wanted' },
          lacks: [expect.stringContaining('FIPS mode')],
        },
      ],
    });
  });

  it('says why a pod waits that could be restarted', async () => {
    const uid = await makeOwner('team-c', 'db', { type: 'OnDelete' });
    const by = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid, controller: true };
    const all = { 'rt-cfg.kyma-project.io/add-img-pull-secret': 'false' };
    await make('team-c', 'db-0', { annotations: all, ownerReferences: [by] });
    const other = await makeOwner('team-c', 'web', { type: 'RollingUpdate' });
    const rolled = { ...by, name: 'web', uid: other };
    await make('team-c', 'web-0', { ownerReferences: [rolled] });
    const { out } = await status('--config', withSecret ?? '', '-n', 'team-c');
    expect(out).toMatch(/^team-c +db-0 .* on-delete$/m);
    expect(out).toMatch(/^team-c +web-0 .* pull-secret$/m);
  });

  it('says of pods that nobody restarts that they are odd, or why they are not wanted', async () => {
    const read = await status('--config', config ?? '', '-n', 'team-a', '-o', 'json');
    const { configuration } = JSON.parse(read.out) as { readonly configuration: string };
    const stated = { version: 1, features: ['set-fips-mode'] };
    const uid = await makeOwner('team-e', 'web', { type: 'RollingUpdate' });
    const by = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid, controller: true };
    for (const [name, hash] of [
      ['odd', configuration],
      ['old', 'older'],
    ]) {
      const mark = JSON.stringify({ ...stated, configuration: hash });
      const metadata = { annotations: { [marks.provenance]: mark }, ownerReferences: [by] };
      await make('team-e', name ?? '', metadata, [{ name: 'FIPS_MODE_ENABLED', value: 'true' }]);
    }
    const { out } = await status('--config', config ?? '', '-n', 'team-e');
    expect(out).toMatch(/^team-e +odd .* odd +odd$/m);
    expect(out).toMatch(/^team-e +old .* staleConfiguration +not-wanted$/m);
  });

  it.each([
    ['paused', paused, 'they are paused (podBootstrap.restart.mode)'],
    ['only measured', measured, 'they are only measured (podBootstrap.restart.mode: dryRun)'],
  ])('says that restarts are %s', async (_, file, expected) => {
    const { out } = await status('--config', file ?? '', '-n', 'team-a');
    expect(out).toContain(`pods are not restarted: ${expected}\n`);
  });

  it('prints a line a pod, of all namespaces where none is named', async () => {
    const { out } = await status('--config', config ?? '');
    expect(out).toMatch(/^configuration [0-9a-f]{12}\npods are not restarted: no webhook is/);
    expect(out).toMatch(/^team-a +missed +- +- +missed +orphan$/m);
    expect(out).toMatch(/^team-a +old +older \(older\) +- +staleConfiguration +not-wanted$/m);
    expect(out).toMatch(/^team-b +off +- +- +current +-$/m);
    expect(out).toMatch(/^team-d +odd +- +- +missed +orphan$/m);
  });

  it.each<[string, JsonObject | undefined, string]>([
    ['a ConfigMap that is not there', undefined, 'there is no such ConfigMap'],
    ['another key', { 'other.json': '{}' }, 'it has no key rt-bootstrapper-config.json'],
    [
      'a bad document',
      { 'rt-bootstrapper-config.json': '{"overrides":[]}' },
      '$.overrides: expected',
    ],
  ])('says of %s what is wrong, and that replicas go by what they alone know', async (...row) => {
    const [, data, problem] = row;
    await writeDocument(data);
    const { exit, out, err } = await status('--config', none ?? '');
    expect([exit, out]).toEqual([1, '']);
    expect(err).toContain(`ConfigMap kyma-system/rt-bootstrapper-config: ${problem}`);
    expect(err).toContain('by the last good document');
    expect(err).not.toContain('nothing is done to pods');

    const json = await status('--config', none ?? '', '-o', 'json');
    expect(json.exit).toBe(1);
    expect(JSON.parse(json.out)).toEqual({
      document: 'ConfigMap kyma-system/rt-bootstrapper-config',
      problem: expect.stringContaining(problem),
      replicas: expect.stringContaining('by the last good document'),
    });
  });

  it('says where it has looked when nothing is done to pods', async () => {
    await writeDocument({ 'rt-bootstrapper-config.json': '{"overrides":{}}' });
    const { exit, err } = await status('--config', none ?? '');
    expect(exit).toBe(1);
    expect(err).toContain('nothing is done to pods');
    expect(err).toContain('ConfigMap kyma-system/rt-bootstrapper-config');
  });
});
