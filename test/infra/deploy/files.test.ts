import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kustomizeFiles, writeFiles } from '#infra/deploy/files.ts';
import { manifest } from '#infra/deploy/manifest.ts';

const rbac = 'rbac.authorization.k8s.io/v1';
const manifests = [
  manifest({ apiVersion: 'v1', kind: 'Service', name: 'b', namespace: 'x' }),
  manifest({ apiVersion: rbac, kind: 'Role', name: 'a', namespace: 'x' }),
  manifest({ apiVersion: rbac, kind: 'Role', name: 'a', namespace: 'y' }),
];

describe('a kustomization', () => {
  it('lists one file an object, also where two share a name', () => {
    const [kustomization, ...files] = kustomizeFiles(manifests);

    expect(kustomization).toEqual({
      path: 'kustomization.yaml',
      text: 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n  - role-x-a.yaml\n  - role-y-a.yaml\n  - service-b.yaml\n',
    });
    expect(files.map(({ path }) => path)).toEqual([
      'service-b.yaml',
      'role-x-a.yaml',
      'role-y-a.yaml',
    ]);
  });

  it('is none without objects', () => {
    expect(kustomizeFiles([])).toEqual([]);
  });
});

describe('written files', () => {
  it('stand in a folder that was not there before', async () => {
    const folder = join(await mkdtemp(join(tmpdir(), 'render-')), 'deep', 'base');

    await writeFiles(folder, kustomizeFiles(manifests));

    expect((await readdir(folder)).toSorted()).toHaveLength(4);
    expect(await readFile(join(folder, 'role-x-a.yaml'), 'utf8')).toContain('namespace: x');
  });
});
