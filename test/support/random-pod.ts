import fc from 'fast-check';
import type { JsonObject } from '#shared/domain/json.ts';

/** What the API server may send of a pod: lists that are missing or null, keys that objects inherit, fields of a later version. */
const text = fc.oneof(
  fc.constantFrom('', 'true', 'a', 'é\u{1f433}', 'quote"back\\slash', '</script>'),
  fc.string({ maxLength: 8 }),
);

const key = fc.constantFrom(
  'app',
  'app.kubernetes.io/name',
  'constructor',
  'toString',
  'a~b/c',
  'worker.gardener.cloud/pool',
  'gatehouse.io/leave-alone',
);

const marks = fc.dictionary(key, text, { maxKeys: 4 });

const image = fc.constantFrom(
  'nginx',
  'nginx:1.27',
  'registry.test/team/app:v1',
  'registry.test:5000/app',
  `registry.test/app@sha256:${'0a'.repeat(32)}`,
  'docker.io/library/busybox:latest',
);

const name = fc.constantFrom('web', 'sidecar', 'istio-proxy', 'init');

const env = fc.array(fc.record({ name: fc.constantFrom('A', 'LANDSCAPE'), value: text }), {
  maxLength: 3,
});

/** Each field there, null or missing. */
function loosely<T>(shape: { [K in keyof T]: fc.Arbitrary<T[K]> }) {
  const fields = Object.entries<fc.Arbitrary<unknown>>(shape).map(
    ([field, value]) => [field, fc.option(value, { nil: null, freq: 6 })] as const,
  );
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
}

const container = fc
  .tuple(fc.record({ name, image }), loosely({ env, args: fc.array(text, { maxLength: 2 }) }))
  .map(([stated, loose]) => ({ ...stated, ...loose }));

const volume = fc.oneof(
  fc.record({ name, emptyDir: fc.constant({}) }),
  fc.record({ name, image: fc.record({ reference: image }) }),
);

const expression = fc
  .tuple(
    fc.record({
      key: fc.constantFrom('worker.gardener.cloud/pool', 'kubernetes.io/arch'),
      operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
    }),
    loosely({ values: fc.array(fc.constantFrom('cpu-worker-0', 'other'), { maxLength: 2 }) }),
  )
  .map(([stated, loose]) => ({ ...stated, ...loose }));

const nodeTerm = loosely({
  matchExpressions: fc.array(expression, { maxLength: 2 }),
  matchFields: fc.array(expression, { maxLength: 1 }),
});

const preferred = fc.record({ weight: fc.constantFrom(1, 10, 100), preference: nodeTerm });

const nodeAffinity = loosely({
  requiredDuringSchedulingIgnoredDuringExecution: fc.record({
    nodeSelectorTerms: fc.array(nodeTerm, { minLength: 1, maxLength: 2 }),
  }),
  preferredDuringSchedulingIgnoredDuringExecution: fc.array(preferred, { maxLength: 3 }),
});

const affinity = loosely({
  nodeAffinity,
  podAntiAffinity: fc.constant({ preferredDuringSchedulingIgnoredDuringExecution: [] }),
});

const spec = fc
  .tuple(
    fc.record({ containers: fc.array(container, { minLength: 1, maxLength: 3 }) }),
    loosely({
      initContainers: fc.array(container, { maxLength: 2 }),
      ephemeralContainers: fc.array(container, { maxLength: 1 }),
      volumes: fc.array(volume, { maxLength: 2 }),
      nodeSelector: marks,
      affinity,
      imagePullSecrets: fc.array(fc.record({ name }), { maxLength: 2 }),
      ofALaterVersion: fc.jsonValue({ maxDepth: 2 }),
    }),
    fc.option(fc.record({ nodeName: fc.constantFrom('', 'node-1') }), { nil: {}, freq: 4 }),
  )
  .map(([stated, loose, placed]) => ({ ...stated, ...loose, ...placed }));

const metadata = fc
  .tuple(
    fc.oneof(fc.record({ generateName: name }), fc.record({ name })),
    loosely({ labels: marks, annotations: marks }),
  )
  .map(([stated, loose]) => ({ ...stated, ...loose }));

/** As it comes off the wire. */
export const randomPod: fc.Arbitrary<JsonObject> = fc
  .record({ apiVersion: fc.constant('v1'), kind: fc.constant('Pod'), metadata, spec })
  .map((pod) => JSON.parse(JSON.stringify(pod)));
