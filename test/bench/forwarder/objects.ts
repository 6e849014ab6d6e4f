import type { FakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { apiVersion, type Kind, pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { kinds } from './kinds.ts';

export type Placed = { readonly kind: Kind; readonly namespace: string; readonly name: string };

/** Of every ten, four are pods of some 5 KB; the others have 1 to 3 KB. */
export function fill({ objects }: FakeCluster, count: number): readonly Placed[] {
  const [first, ...others] = kinds;
  return Array.from({ length: count }, (_, at) => {
    const kind = at % 10 < 4 ? first : (others[at % others.length] ?? first);
    const namespace = kind.namespaced ? `team-${at % 50}` : '';
    const placed = { kind, namespace, name: `${kind.resource}-${at}` };
    objects.create(kind, objectOf(placed, at));
    return placed;
  });
}

/** What a controller writes all day: a status, or the time of a lease. */
export function prepareTouch({ objects }: FakeCluster, { kind, ...at }: Placed, turn: number) {
  return objects.preparePatch(kind, at, { status: { observedGeneration: turn, phase: 'Running' } });
}

function objectOf({ kind, namespace, name }: Placed, at: number): KubeObject {
  const metadata = {
    name,
    ...(namespace === '' ? {} : { namespace }),
    labels: { app: `app-${at % 200}`, 'app.kubernetes.io/part-of': `part-${at % 20}` },
    annotations: { 'example.com/owner': `team-${at % 50}`, 'example.com/checksum': hex(at, 64) },
    managedFields: [managed('kube-controller-manager'), managed('kubelet')],
  };
  const content =
    kind === pods ? podContent(at) : { spec: { text: hex(at, 600 + (at % 5) * 300) } };
  return { apiVersion: apiVersion(kind), kind: kind.kind, metadata, ...content };
}

function podContent(at: number): JsonObject {
  const containers = ['app', 'sidecar'].map((name) => ({
    name,
    image: `registry.example.com/team/${name}:${hex(at, 12)}`,
    env: Array.from({ length: 12 }, (_, key) => ({ name: `SETTING_${key}`, value: hex(key, 24) })),
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    livenessProbe: { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 10 },
    volumeMounts: [{ name: 'config', mountPath: '/etc/config' }],
  }));
  const conditions = ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
    ...{ type, status: 'True', lastTransitionTime: '2030-01-01T00:00:00Z' },
  }));
  return {
    spec: { nodeName: `node-${at % 100}`, containers, volumes: [{ name: 'config' }] },
    status: { phase: 'Running', podIP: '10.0.0.1', conditions, text: hex(at, 900) },
  };
}

function managed(manager: string): JsonObject {
  const fields = Array.from({ length: 12 }, (_, at) => [`f:field-${at}`, {}]);
  const time = '2030-01-01T00:00:00Z';
  return { manager, operation: 'Update', time, fieldsV1: { 'f:spec': Object.fromEntries(fields) } };
}

/** Text that does not fold up to nothing. */
function hex(seed: number, length: number): string {
  let state = seed + 1;
  let text = '';
  while (text.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += state.toString(16);
  }
  return text.slice(0, length);
}
