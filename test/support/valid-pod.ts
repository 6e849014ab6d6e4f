import fc from 'fast-check';
import type { JsonObject } from '#shared/domain/json.ts';

/** What a real API server accepts; everything in it is defaulted somewhere. */
const image = fc.constantFrom(
  'nginx',
  'nginx:1.27',
  'mirror/tool',
  'registry.test/team/app:v1',
  'registry.test:5000/app',
  `registry.test/app@sha256:${'0a'.repeat(32)}`,
  'docker.io/library/busybox:latest',
  'm.io/hub/app:1',
);

const word: fc.Arbitrary<JsonObject> = fc.constantFrom<JsonObject[]>(
  { value: 'true' },
  { value: 'x' },
  { value: '' },
  {},
  { valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  { valueFrom: { configMapKeyRef: { name: 'settings', key: 'a' } } },
);

const variable = fc
  .tuple(fc.constantFrom('A', 'KYMA_FIPS_MODE_ENABLED', 'KYMA_LANDSCAPE', 'SSL_CERT_FILE'), word)
  .map(([name, said]): JsonObject => ({ name, ...said }));

const paths = [
  '/data',
  '/etc/ssl',
  '/etc/ssl/certs',
  '/etc/ssl/certs/own',
  '/etc/trust-bundle/',
  '/srv//files',
  'etc/ssl/certs',
  '/etc/./ssl/x/../certs',
  '/etc/trust-bundle/..',
];
const mount = fc.record({ of: fc.nat({ max: 9 }), mountPath: fc.constantFrom(...paths) });
const mounts = fc.uniqueArray(mount, { maxLength: 2, selector: ({ mountPath }) => mountPath });

const probe = { httpGet: { port: 8080 } };

const container = fc.record({
  image,
  env: fc.array(variable, { maxLength: 3 }),
  mounts,
  more: fc.constantFrom<JsonObject[]>(
    {},
    { ports: [{ containerPort: 8080 }] },
    { livenessProbe: probe, resources: { limits: { cpu: '500m' } } },
    { imagePullPolicy: 'Never', env: null, volumeMounts: null },
  ),
});

/** One of them stays, and is ready before the next one starts. */
const initContainer = fc
  .tuple(container, fc.boolean())
  .map(([{ more: _more, ...each }, stays]) => ({
    ...each,
    more: stays ? { restartPolicy: 'Always', startupProbe: probe } : {},
  }));

const volumeSource = fc.oneof(
  fc.constantFrom<JsonObject[]>(
    { emptyDir: {} },
    { hostPath: { path: '/var/log' } },
    { configMap: { name: 'settings' } },
    { secret: { secretName: 'own', optional: true } },
    { downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
    { projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } },
  ),
  image.map((reference): JsonObject => ({ image: { reference } })),
);

/** `volumes` may be added, each of which a container can mount; `annotations` are the pod's. */
export function validPods(
  annotations: fc.Arbitrary<Readonly<Record<string, string>>>,
  ownVolume: fc.Arbitrary<JsonObject>,
): fc.Arbitrary<JsonObject> {
  return fc
    .record({
      annotations,
      containers: fc.array(container, { minLength: 1, maxLength: 3 }),
      initContainers: fc.array(initContainer, { maxLength: 2 }),
      sources: fc.array(volumeSource, { maxLength: 3 }),
      own: fc.option(ownVolume, { nil: undefined }),
      secrets: fc.subarray(['registry-credentials', 'own']),
    })
    .map(({ annotations, containers, initContainers, sources, own, secrets }) => {
      const listed = sources.map((source, index): JsonObject => ({ name: `v${index}`, ...source }));
      const volumes = own === undefined ? listed : [...listed, own];
      const spec = {
        containers: containers.map((each, index) => spelled(each, `main-${index}`, volumes)),
        initContainers: initContainers.map((each, index) =>
          spelled(each, `init-${index}`, volumes),
        ),
        volumes,
        imagePullSecrets: secrets.map((name) => ({ name })),
      };
      const metadata = { generateName: 'web-', annotations };
      return JSON.parse(JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec }));
    });
}

type Container = typeof container extends fc.Arbitrary<infer T> ? T : never;

function spelled({ image, env, mounts, more }: Container, name: string, volumes: Volumes) {
  const volumeMounts = mounts.flatMap(({ of, mountPath }) => {
    const volume = volumes[of % Math.max(volumes.length, 1)];
    return volume === undefined ? [] : [{ name: volume['name'] ?? '', mountPath }];
  });
  return { name, image, env, volumeMounts, ...more };
}

type Volumes = readonly JsonObject[];
