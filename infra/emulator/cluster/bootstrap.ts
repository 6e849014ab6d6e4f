import type { JsonObject } from '#shared/domain/json.ts';
import { bootstrapPolicy } from './access/bootstrap/policy.ts';
import { localApiService } from './aggregation/api-service.ts';
import type { Rules } from './parts.ts';
import { born } from './pipeline/metadata.ts';
import { idOf, type ServedKind } from './served-kinds.ts';
import type { Keys } from './state/keys.ts';
import type { Store } from './store/store.ts';

const namespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'].map((name) => ({
  ...{ apiVersion: 'v1', kind: 'Namespace' },
  metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
}));

const priorities: readonly JsonObject[] = [
  [
    'system-cluster-critical',
    2_000_000_000,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ] as const,
  [
    'system-node-critical',
    2_000_001_000,
    'Used for system critical pods that must not be moved from their current node.',
  ] as const,
].map(([name, value, description]) => ({
  ...{ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name } },
  ...{ value, preemptionPolicy: 'PreemptLowerPriority', description },
}));

/** By which the servers behind this one know it. */
function authentication({ ca, frontProxyCa }: Keys): JsonObject {
  return {
    ...{ apiVersion: 'v1', kind: 'ConfigMap' },
    metadata: { name: 'extension-apiserver-authentication', namespace: 'kube-system' },
    data: {
      'client-ca-file': ca.certificate,
      'requestheader-allowed-names': '["front-proxy-client"]',
      'requestheader-client-ca-file': frontProxyCa,
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-username-headers': '["X-Remote-User"]',
    },
  };
}

/** One for each version of a group that is served here. */
function localServices(store: Store, now: Date): readonly JsonObject[] {
  const versions = [...store.collections.values()].flatMap(({ kind: { group, versions } }) =>
    versions.map((version) => JSON.stringify({ group, version })),
  );
  return [...new Set(versions)].map((place) => {
    const { group, version } = JSON.parse(place) as {
      readonly group: string;
      readonly version: string;
    };
    return localApiService({ group, version, isCustom: false, now });
  });
}

type With = {
  readonly keys: Keys;
  readonly now: Date;
  rulesOf(kind: ServedKind, version: string): Rules;
};

/** What a new cluster has before anybody has written to it. */
export function bootstrap(store: Store, { keys, now, rulesOf }: With): void {
  const kinds = new Map(
    [...store.collections.values()].map((of) => [`${of.kind.group}/${of.kind.kind}`, of]),
  );
  const user = { name: 'system:apiserver', groups: ['system:masters'] };
  const all: readonly JsonObject[] = [
    ...[...namespaces, ...localServices(store, now), authentication(keys), ...priorities],
    ...bootstrapPolicy(),
  ];
  for (const object of all) {
    const [version = '', group = ''] = String(object['apiVersion']).split('/').toReversed();
    const of = kinds.get(`${group}/${String(object['kind'])}`);
    if (of === undefined)
      throw new Error(
        `a new cluster has a ${idOf({ group, resource: String(object['kind']) })}, and none is served`,
      );
    const rules = rulesOf(of.kind, version);
    const whole = rules.created(rules.defaulted(born(object, undefined, now)), { now, user });
    const status = object['status'];
    store.create(of, status === undefined ? whole : { ...whole, status });
  }
}
