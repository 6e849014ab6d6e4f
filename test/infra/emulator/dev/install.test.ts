import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { openInstaller, targetOf } from '#infra/emulator/dev/install.ts';
import { inFile, type Memory, planInstall, settledAs } from '#infra/emulator/dev/installed.ts';
import { lookingInto } from '#infra/emulator/dev/open-dev.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';

const role = (name: string, ...rules: readonly KubeObject[string][]): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name },
  rules,
});
const binding = (name: string): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
  subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'default' }],
});
const pods = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
const onePod = { ...pods, resourceNames: ['web'] };

function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-install-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** What `gatehouse dev` has of it, from one start to its end. */
async function started(directory: string, worn = (memory: Memory) => memory) {
  const cluster = await emulatedCluster({ directory });
  const memory = worn(inFile(join(directory, 'installed.json')));
  const login = { kind: 'kubeconfig-text', text: cluster.kubeconfig } as const;
  const installer = await openInstaller(login, { isThere: lookingInto(cluster), memory });
  const end = async () => {
    installer.close();
    await cluster.close();
  };
  onTestFinished(end);
  const found = (object: KubeObject) => installer.cluster.find(targetOf(object));
  const { faults, requests } = cluster;
  return { ...installer, faults, found, applies: () => requests.of('patch'), end };
}

describe('what is installed', () => {
  const none = new Map();
  const first = planInstall(none, { manifests: [role('a'), role('b')], isMissing: () => false });
  const known = settledAs(first, [role('a'), role('b')]);
  const namesOf = (all: readonly { readonly metadata: { readonly name?: string } }[]) =>
    all.map(({ metadata }) => metadata.name).join();

  it.each([
    ['is applied once', [role('a'), role('b')], '', '', ''],
    ['is applied where it is unlike before', [role('a', pods), role('b')], '', 'a', ''],
    ['is applied where somebody took it', [role('a'), role('b')], 'b', 'b', ''],
    ['is removed where it is wanted no more', [role('b')], '', '', 'a'],
    ['is renamed', [role('c'), role('b')], '', 'c', 'a'],
  ])('%s', (_, manifests, missing, apply, remove) => {
    const isMissing = ({ metadata }: KubeObject) => metadata.name === missing;
    const plan = planInstall(known, { manifests, isMissing });
    expect([namesOf(plan.apply), namesOf(plan.remove)]).toEqual([apply, remove]);
    expect([...plan.meanwhile.keys()]).toEqual(expect.arrayContaining([...known.keys()]));
    const settled = settledAs(plan, plan.apply);
    expect(planInstall(settled, { manifests, isMissing: () => false })).toMatchObject({
      apply: [],
      remove: [],
    });
  });

  it('is applied again where nobody knows whether it was', () => {
    const manifests = [role('a', pods), role('b')];
    const { meanwhile } = planInstall(known, { manifests, isMissing: () => false });
    const back = { manifests: [role('a'), role('b')], isMissing: () => false };
    expect(namesOf(planInstall(meanwhile, back).apply)).toBe('a');
  });

  it('is no namespace when it is removed', () => {
    const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };
    const plan = planInstall(none, { manifests: [space], isMissing: () => false });
    const later = planInstall(settledAs(plan, [space]), { manifests: [], isMissing: () => false });
    expect(later.remove).toEqual([]);
  });
});

describe('a state folder that is started again', () => {
  it('has what is wanted now, and nothing else of ours', async () => {
    const directory = folder();
    const first = await started(directory);
    await first.install([role('a', onePod), role('b'), binding('b'), role('c')]);
    await first.cluster.create(targetOf(role('')).kind, role('own', pods));
    await first.cluster.delete(targetOf(role('c')));
    await first.cluster.create(targetOf(role('')).kind, role('c', pods));
    await first.end();

    const { install, found, end } = await started(directory);
    await install([role('a', pods)]);
    expect((await found(role('a')))?.['rules']).toEqual([pods]);
    for (const gone of [role('b'), binding('b')]) expect(await found(gone)).toBeUndefined();
    // Somebody's own, one of them in the place of ours.
    for (const name of ['own', 'c']) {
      expect(await found(role(name))).toMatchObject({ rules: [pods] });
    }
    await end();
  });

  it('has nothing left of one that was killed before it could say what it had done', async () => {
    const directory = folder();
    const killed = await started(directory, (memory) => {
      let writes = 0;
      const write: Memory['write'] = (known) => {
        writes += 1;
        if (writes > 1) throw new Error('killed');
        memory.write(known);
      };
      return { ...memory, write };
    });
    await expect(killed.install([role('a', onePod), role('b')])).rejects.toThrow('killed');
    expect(await killed.found(role('b'))).toBeDefined();
    await killed.end();

    const { install, found, end } = await started(directory);
    await install([role('a', pods)]);
    expect((await found(role('a')))?.['rules']).toEqual([pods]);
    expect(await found(role('b'))).toBeUndefined();
    await end();
  });

  it.each([
    ['busy', 429],
    ['in conflict', 409],
  ])('has nothing left of what was not removed since the server was %s', async (_, code) => {
    const directory = folder();
    const first = await started(directory);
    await first.install([role('a', pods), role('b')]);
    first.faults.refuse({ verb: 'delete', times: 1 }, { code });
    await expect(first.install([role('a', pods)])).rejects.toThrow('ClusterRole b stays');
    await first.end();

    const { install, found, end } = await started(directory);
    await install([role('a', pods)]);
    expect(await found(role('b'))).toBeUndefined();
    await end();
  });

  it('is written to only where something is unlike before', async () => {
    const directory = folder();
    const wanted = [role('a', pods), role('b', pods), binding('b')];
    const first = await started(directory);
    await first.install(wanted);
    await first.cluster.delete(targetOf(role('b')));
    await first.end();

    const second = await started(directory);
    await second.install(wanted);
    expect(await second.found(role('b'))).toBeDefined();
    expect(second.applies()).toBe(1);
    await second.end();
    const third = await started(directory);
    await third.install(wanted);
    await third.install(wanted);
    expect(third.applies()).toBe(0);
    await third.end();
  });
});
