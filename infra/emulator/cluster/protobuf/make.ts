import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { typesIn } from './go-types.ts';

/**
 * `node make.ts ~/go/pkg/mod`: writes down under which numbers the fields of the API's types travel.
 * It stands in the tags of their Go sources, and nowhere else that also says which fields are pointers.
 */
const [, , modules = ''] = process.argv;
const version = 'v0.35.4';

const groups: Readonly<Record<string, readonly string[]>> = {
  '': ['core/v1'],
  'admissionregistration.k8s.io': ['admissionregistration/v1'],
  apps: ['apps/v1'],
  'authentication.k8s.io': ['authentication/v1'],
  'authorization.k8s.io': ['authorization/v1'],
  autoscaling: ['autoscaling/v1', 'autoscaling/v2'],
  batch: ['batch/v1'],
  'certificates.k8s.io': ['certificates/v1', 'certificates/v1beta1', 'certificates/v1alpha1'],
  'coordination.k8s.io': ['coordination/v1'],
  'discovery.k8s.io': ['discovery/v1'],
  'events.k8s.io': ['events/v1'],
  'networking.k8s.io': ['networking/v1'],
  'node.k8s.io': ['node/v1'],
  policy: ['policy/v1'],
  'rbac.authorization.k8s.io': ['rbac/v1'],
  'scheduling.k8s.io': ['scheduling/v1'],
  'storage.k8s.io': ['storage/v1'],
};

const folders: readonly (readonly [string, string])[] = [
  ...Object.values(groups)
    .flat()
    .map((name) => [name, `k8s.io/api@${version}/${name}`] as const),
  ['meta/v1', `k8s.io/apimachinery@${version}/pkg/apis/meta/v1`],
  ['apiextensions/v1', `k8s.io/apiextensions-apiserver@${version}/pkg/apis/apiextensions/v1`],
  ['apiregistration/v1', `k8s.io/kube-aggregator@${version}/pkg/apis/apiregistration/v1`],
];

const sources = folders.flatMap(([name, folder]) =>
  readdirSync(join(modules, folder))
    .filter((file) => /types.*\.go$/.test(file) && !/_test\.go$/.test(file))
    .map((file) => ({ name, text: readFileSync(join(modules, folder, file), 'utf8') })),
);
const packages = Object.entries(groups).flatMap(([group, names]) =>
  names.map((name) => [`${group}/${name.split('/')[1]}`, name] as const),
);
const table = {
  packages: {
    ...Object.fromEntries(packages),
    'apiextensions.k8s.io/v1': 'apiextensions/v1',
    'apiregistration.k8s.io/v1': 'apiregistration/v1',
    'meta.k8s.io/v1': 'meta/v1',
  },
  messages: typesIn(sources),
};
writeFileSync(
  new URL('messages.json.br', import.meta.url),
  brotliCompressSync(JSON.stringify(table)),
);
