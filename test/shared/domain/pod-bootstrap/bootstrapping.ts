import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { decode } from '#shared/domain/decode.ts';
import type { Json, JsonObject } from '#shared/domain/json.ts';
import { applyPatch } from '#shared/domain/json-patch.ts';
import { valueAt } from '#shared/domain/json-pointer.ts';
import { bootstrapPod } from '#shared/domain/pod-bootstrap/bootstrap.ts';
import { type Configuration, configurationOf } from '#shared/domain/pod-bootstrap/configuration.ts';
import type { BootstrapDocument } from '#shared/domain/pod-bootstrap/document.ts';
import { featureKeys } from '#shared/domain/pod-bootstrap/feature.ts';
import type { Wanted } from '#shared/domain/pod-bootstrap/housekeeping/judge-pod.ts';
import type { Request } from '#shared/domain/pod-bootstrap/images.ts';
import { bootPod } from '#shared/domain/pod-bootstrap/pod.ts';
import { readDocument } from '#shared/domain/pod-bootstrap/read-document.ts';
import type { TrustBundle } from '#shared/domain/pod-bootstrap/trust-bundle.ts';

export const registry = 'rt-cfg.kyma-project.io/alter-img-registry';
export const pullSecret = 'rt-cfg.kyma-project.io/add-img-pull-secret';
export const bundle = 'rt-cfg.kyma-project.io/add-cluster-trust-bundle';
export const fips = 'rt-cfg.kyma-project.io/set-fips-mode';
export const landscape = 'rt-cfg.kyma-project.io/set-landscape';
export const all = 'rt-cfg.kyma-project.io/all';

export const modified = 'rt-bootstrapper.kyma-project.io/modified';
export const bundleHash = 'rt-bootstrapper.kyma-project.io/ctb-hash';
export const provenance = 'gatehouse.io/pod-bootstrap';

export const trustBundle = {
  name: 'rt-bootstrapper-k3d.test:ctb:1',
  certWritePath: 'kube-apiserver-serving.pem',
  volumeMountPath: '/etc/ssl/certs',
  volumeName: 'rt-bootstrapper-certs',
};

/** What upstream ships for its own tests, in upstream's present mode. */
export const shipped = {
  overrides: { 'replace.me': 'localhost:5001', 'example.com': 'localhost:5002' },
  clusterTrustBundle: trustBundle,
  availableFeatures: [...featureKeys],
  defaultMode: 'optIn',
};

export const volume = {
  name: 'rt-bootstrapper-certs',
  projected: {
    sources: [{ clusterTrustBundle: { name: trustBundle.name, path: trustBundle.certWritePath } }],
  },
};
export const mount = {
  name: 'rt-bootstrapper-certs',
  readOnly: true,
  mountPath: '/etc/ssl/certs',
};

export function documentOf(stated: JsonObject): BootstrapDocument {
  const read = readDocument(JSON.stringify(stated));
  if (!read.ok) throw new Error(read.problems.join('; '));
  return read.document;
}

/** What differs from the shipped document with everything on. */
export type Case = {
  readonly document?: JsonObject;
  readonly namespace?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly trustBundle?: TrustBundle;
  readonly landscape?: string;
  readonly request?: Request;
};

export function podRead(pod: JsonObject) {
  const result = decode(bootPod, pod);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
}

const nothing: Case = {};
const configurations = new WeakMap<Case, Configuration>();

/** Once for each case: reading a document costs more than deciding by it. */
function configurationIn(given: Case): Configuration {
  const known = configurations.get(given);
  if (known !== undefined) return known;
  const document = documentOf({ ...shipped, defaultMode: 'optOut', ...given.document });
  const { pullSecret: secret } = podBootstrap;
  const told = { pullSecret: secret, landscape: given.landscape ?? 'NS2' };
  const configuration = configurationOf(document, told);
  configurations.set(given, configuration);
  return configuration;
}

const { podBootstrap } = settingsFixed().current();

export function decided(pod: JsonObject, given = nothing) {
  const { configuration, ...known } = wantedIn(given);
  const { request = { kind: 'create' } } = given;
  return bootstrapPod(podRead(pod), configuration, { request, ...known });
}

/** What housekeeping holds a stored pod against. */
export function wantedIn(given: Case): Wanted {
  return {
    configuration: configurationIn(given),
    namespace: { name: given.namespace ?? 'team-a', annotations: given.annotations ?? {} },
    trustBundle: given.trustBundle ?? { kind: 'unknown' },
  };
}

/** The pod as the API server would store it. */
export function stored(pod: JsonObject, given?: Case): JsonObject {
  const verdict = decided(pod, given);
  return verdict.kind === 'patch' ? applyPatch(pod, verdict.changes) : pod;
}

export function at(object: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce(valueAt, object);
}

/** A document that makes one feature available, and it alone. */
export function only(feature: string, more: JsonObject = {}): Case {
  return { document: { availableFeatures: [feature], ...more } };
}

export function podOf(containers: readonly JsonObject[], more: PodParts = {}): JsonObject {
  const { metadata = {}, ...spec } = more;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'web-', ...metadata },
    spec: { containers, ...spec },
  };
}

type PodParts = { readonly metadata?: JsonObject } & Readonly<Record<string, Json>>;
