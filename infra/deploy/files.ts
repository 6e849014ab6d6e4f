import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { compare } from './plan.ts';
import type { File } from './render.ts';
import { yamlOf } from './yaml.ts';

/** One file an object, and the kustomization that lists them: what else lies in the folder is nobody's. */
export function kustomizeFiles(manifests: readonly KubeObject[]): readonly File[] {
  if (manifests.length === 0) return [];
  const files = manifests.map((object) => ({ path: pathOf(object), text: yamlOf(object) }));
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: files.map(({ path }) => path).toSorted(compare),
  };
  return [{ path: 'kustomization.yaml', text: yamlOf(kustomization) }, ...files];
}

/** The namespace tells two Roles of one name apart. */
function pathOf({ kind, metadata: { name = '', namespace } }: KubeObject): string {
  const scope = kind === 'Role' || kind === 'RoleBinding' ? [namespace ?? ''] : [];
  return `${[kind.toLowerCase(), ...scope, name].join('-')}.yaml`;
}

export async function writeFiles(folder: string, files: readonly File[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await Promise.all(files.map(({ path, text }) => writeFile(join(folder, path), text)));
}
