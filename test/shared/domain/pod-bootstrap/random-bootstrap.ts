import fc from 'fast-check';
import type { Json, JsonObject } from '#shared/domain/json.ts';
import { featureKeys } from '#shared/domain/pod-bootstrap/feature.ts';
import { randomPod } from '#test/support/random-pod.ts';
import { all, at, type Case, provenance, trustBundle, volume } from './bootstrapping.ts';

const word = fc.constantFrom('true', 'false', 'True', '');
const words = fc.dictionary(fc.constantFrom(...featureKeys, all), word, { maxKeys: 3 });

const env = fc.record({
  name: fc.constantFrom('A', 'KYMA_FIPS_MODE_ENABLED', 'KYMA_LANDSCAPE', 'SSL_CERT_FILE'),
  value: fc.constantFrom('true', 'x'),
});
const mount = fc.record({
  name: fc.constantFrom('web', 'rt-bootstrapper-certs'),
  mountPath: fc.constantFrom(
    ...['/etc/ssl/certs', '/etc/ssl/certs/own', '/etc/trust-bundle/', '/data', 'etc/ssl/certs'],
    ...['/etc/./ssl//certs/.', '/etc/x/../ssl', '../etc/trust-bundle', '/etc/ssl/certs/..data'],
  ),
});
const started = fc.record(
  {
    env: fc.array(env, { maxLength: 3 }),
    volumeMounts: fc.oneof(fc.array(mount, { maxLength: 2 }), fc.constant(null)),
  },
  { requiredKeys: [] },
);

const more = fc.record({
  container: fc.option(started),
  annotations: fc.option(fc.oneof(words, fc.constant({ [provenance]: '{}' }))),
  volume: fc.option(
    fc.constantFrom<JsonObject>(volume, { name: 'rt-bootstrapper-certs', emptyDir: {} }),
  ),
  secret: fc.boolean(),
});

/** A pod that has already much of what we would give it. */
export const pods: fc.Arbitrary<JsonObject> = fc
  .tuple(randomPod, more)
  .map(([pod, extra]) => extended(pod, extra));

type Extra = typeof more extends fc.Arbitrary<infer T> ? T : never;

function extended(pod: JsonObject, extra: Extra): JsonObject {
  const [metadata, spec] = [objectAt(pod, 'metadata'), objectAt(pod, 'spec')];
  const [first, ...rest] = listAt(pod, 'containers');
  const grown = {
    ...pod,
    metadata: { ...metadata, ...(extra.annotations && { annotations: extra.annotations }) },
    spec: {
      ...spec,
      containers: [{ ...(first as JsonObject), ...extra.container }, ...rest],
      ...(extra.volume && { volumes: [...listAt(pod, 'volumes'), extra.volume] }),
      ...(extra.secret && { imagePullSecrets: [{ name: 'registry-credentials' }] }),
    },
  };
  // As it comes off the wire.
  return JSON.parse(JSON.stringify(grown));
}

function objectAt(pod: JsonObject, key: string): JsonObject {
  return (at(pod, key) ?? {}) as JsonObject;
}

function listAt(pod: JsonObject, key: string): readonly Json[] {
  return (at(pod, 'spec', key) ?? []) as readonly Json[];
}

const place = fc.constantFrom('m.io', 'm.io/hub', 'registry.test', 'docker.io', 'mirror');
const from = fc.constantFrom('registry.test', 'registry.test:5000', 'docker.io', 'm.io');

const spaces = ['team-a', 'team-b', 'kyma-system'];

/** As a document may list them: what is available, or all of it; where nothing is, old documents name any. */
function listsOf(available: readonly string[]) {
  const known = available.length === 0 ? featureKeys : available;
  return fc.dictionary(fc.constantFrom(...spaces), fc.subarray([...known, all]), { maxKeys: 2 });
}

const features = fc
  .oneof(fc.constant([...featureKeys]), fc.subarray([...featureKeys]))
  .chain((availableFeatures) =>
    fc.record({
      availableFeatures: fc.constant(availableFeatures),
      namespaceFeatures: listsOf(availableFeatures),
      enforced: listsOf(availableFeatures),
    }),
  );

const document = fc
  .tuple(
    features,
    fc.record({
      overrides: fc.dictionary(from, place, { maxKeys: 3 }),
      pathOverrides: fc.dictionary(fc.constantFrom('docker.io/library', 'mirror'), place, {
        maxKeys: 2,
      }),
      dockerHubNames: fc.boolean(),
      defaultMode: fc.constantFrom('optOut', 'optIn'),
      clusterTrustBundle: fc.record({
        ...of(trustBundle),
        mode: fc.constantFrom('mount', 'environment', 'mountAndEnvironment'),
        optional: fc.boolean(),
      }),
    }),
  )
  .map(([listed, stated]) => ({ ...stated, ...listed }));

/** Each field as it is. */
function of(shape: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(shape).map(([key, value]) => [key, fc.constant(value)]));
}

/** Of the five features each is now and then not available, enforced, or the default of some namespace. */
export const cases: fc.Arbitrary<Case> = fc
  .record({
    document,
    namespace: fc.constantFrom(...spaces),
    annotations: words,
    trustBundle: fc.constantFrom<Case['trustBundle'][]>(
      { kind: 'unknown' },
      { kind: 'not-served' },
      { kind: 'not-projected' },
      { kind: 'absent' },
      { kind: 'present', hash: 'ab' },
    ),
    landscape: fc.constantFrom('', 'NS2'),
  })
  .map(({ trustBundle: known, ...given }) => ({
    ...given,
    ...(known === undefined ? {} : { trustBundle: known }),
  }));
