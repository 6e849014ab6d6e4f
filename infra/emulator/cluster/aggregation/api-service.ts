import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { inside, metadataOf, nameOf, objects, text, uidOf } from '../access/stated.ts';
import type { ServicePort } from '../admission/reaching/service-endpoint.ts';

/** An APIService, as far as it says where a version of a group is served. */
export type ApiService = {
  readonly name: string;
  readonly uid: string;
  readonly revision: string;
  readonly group: string;
  readonly version: string;
  /** `undefined` where this server serves it itself. */
  readonly service: ServicePort | undefined;
  /** PEM */
  readonly ca: string | undefined;
  readonly isUnverified: boolean;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly isAvailable: boolean;
};

export const apiServices = 'apiservices.apiregistration.k8s.io';

export function apiServiceFrom(object: JsonObject): ApiService {
  const spec = inside(object['spec']);
  const bundle = text(spec['caBundle']);
  return {
    name: nameOf(object),
    uid: uidOf(object),
    revision: text(metadataOf(object)['resourceVersion']),
    group: text(spec['group']),
    version: text(spec['version']),
    service: isJsonObject(spec['service']) ? serviceOf(spec['service']) : undefined,
    ca: bundle === '' ? undefined : Buffer.from(bundle, 'base64').toString(),
    isUnverified: spec['insecureSkipTLSVerify'] === true,
    groupPriority: Number(spec['groupPriorityMinimum'] ?? 0),
    versionPriority: Number(spec['versionPriority'] ?? 0),
    isAvailable: availableIn(object)?.['status'] === 'True',
  };
}

function serviceOf({ namespace, name, port }: JsonObject): ServicePort {
  return {
    namespace: text(namespace),
    name: text(name),
    port: typeof port === 'number' ? port : 443,
  };
}

export function availableIn({ status }: JsonObject): JsonObject | undefined {
  return objects(inside(status)['conditions']).find(({ type }) => type === 'Available');
}

type Local = {
  readonly group: string;
  readonly version: string;
  readonly isCustom: boolean;
  readonly now: Date;
};

/** What the server registers of the groups that it serves itself. */
export function localApiService({ group, version, isCustom, now }: Local): JsonObject {
  const [groupPriorityMinimum, versionPriority] = prioritiesOf(group, version, isCustom);
  const condition: JsonObject = {
    type: 'Available',
    status: 'True',
    lastTransitionTime: now.toISOString().replace(/\.\d+Z$/, 'Z'),
    reason: 'Local',
    message: 'Local APIServices are always available',
  };
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: {
      name: `${version}.${group}`,
      labels: { 'kube-aggregator.kubernetes.io/automanaged': isCustom ? 'true' : 'onstart' },
    },
    spec: { ...(group !== '' && { group }), version, groupPriorityMinimum, versionPriority },
    status: { conditions: [condition] },
  };
}

/** As those of version 1.35; they order the groups in discovery. */
const priorities: Readonly<Record<string, number>> = {
  '': 18_000,
  apps: 17_800,
  'events.k8s.io': 17_750,
  'authentication.k8s.io': 17_700,
  'authorization.k8s.io': 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  'certificates.k8s.io': 17_300,
  'networking.k8s.io': 17_200,
  policy: 17_100,
  'rbac.authorization.k8s.io': 17_000,
  'storage.k8s.io': 16_800,
  'admissionregistration.k8s.io': 16_700,
  'apiextensions.k8s.io': 16_700,
  'scheduling.k8s.io': 16_600,
  'coordination.k8s.io': 16_500,
  'node.k8s.io': 16_300,
  'discovery.k8s.io': 16_200,
  'resource.k8s.io': 16_200,
  'flowcontrol.apiserver.k8s.io': 16_100,
};

function prioritiesOf(
  group: string,
  version: string,
  isCustom: boolean,
): readonly [number, number] {
  if (isCustom) return [1000, 100];
  const ofVersion: Readonly<Record<string, number>> = {
    'v1.': 1,
    'v2.autoscaling': 30,
    'v1.flowcontrol.apiserver.k8s.io': 21,
    'v1.resource.k8s.io': 21,
  };
  // Betas come after what is stable.
  const fallback = /alpha|beta/.test(version) ? 9 : 15;
  return [priorities[group] ?? 1000, ofVersion[`${version}.${group}`] ?? fallback];
}
