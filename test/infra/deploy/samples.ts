import type { Plan } from '#infra/deploy/plan.ts';
import { defineAdmission, defineEndpoint, defineReconcile } from '#shared/define.ts';
import { anything, type Decoder } from '#shared/domain/decode.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { mutatingWebhooks, nodes, pods, secrets } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { done } from '#shared/domain/outcome.ts';
import { allow } from '#shared/domain/verdict.ts';
import { defaultSettings } from '#shared/runtime/config/load.ts';

const schema: Decoder<unknown> = anything;
const admits = { schema, uses: [], deadlineMs: 2_000, handler: () => allow() } as const;

export const stampPool = defineAdmission({
  ...admits,
  name: 'stamp-pool',
  capability: 'node-affinity',
  summary: 'Puts a preference on pods.',
  phase: 'mutate',
  trigger: {
    resources: ['pods'],
    operations: ['CREATE'],
    namespaceSelector: { setting: 'nodeAffinity.namespaceSelector', fallback: {} },
  },
  uses: ['settings', 'nodes'],
  onFailure: 'allow-with-warning',
  replaces: {
    configuration: 'kim-snatch-mutating-webhook-configuration',
    webhook: 'mpod-v1.kb.io',
    service: 'kim-snatch-webhook-service',
    path: '/mutate--v1-pod',
  },
});

export const mapImages = defineAdmission({
  ...admits,
  name: 'map-images',
  capability: 'pod-bootstrap',
  phase: 'mutate',
  trigger: {
    resources: ['pods', 'pods/ephemeralcontainers'],
    operations: ['CREATE', 'UPDATE'],
    matchConditions: [{ name: 'not-ours', expression: "request.namespace != 'ours'" }],
  },
  uses: ['namespaces'],
  onFailure: 'allow-with-warning',
});

export const requireDigest = defineAdmission({
  ...admits,
  name: 'require-digest',
  capability: 'image-trust',
  phase: 'validate',
  trigger: {
    resources: ['pods'],
    operations: ['CREATE', 'UPDATE'],
    namespaceSelector: { setting: 'custom.trusted', fallback: { matchLabels: { trust: 'yes' } } },
    objectSelector: { matchExpressions: [{ key: 'skip', operator: 'DoesNotExist' }] },
    matchConditions: [
      { name: 'no-nodes', expression: "!('system:nodes' in request.userInfo.groups)" },
    ],
  },
  onFailure: { setting: 'custom.closed', fallback: 'deny' },
});

export const countPods = defineAdmission({
  ...admits,
  name: 'count-pods',
  capability: 'policies',
  phase: 'validate',
  trigger: { group: 'apps', resources: ['deployments'], operations: ['CREATE'] },
  onFailure: 'allow-with-warning',
});

export const renewCertificate = defineReconcile({
  name: 'renew-certificate',
  capability: 'certificates',
  trigger: {
    watch: { of: secrets, namespace: 'installation', name: 'gatehouse-certificates' },
    everySeconds: 60,
  },
  deadlineMs: 10_000,
  uses: ['cluster', 'clock', 'certificates', 'settings'],
  access: [
    {
      kind: secrets,
      verbs: ['get', 'create', 'update'],
      names: ['gatehouse-certificates'],
      namespace: 'installation',
    },
    { kind: mutatingWebhooks, verbs: ['get', 'patch'], names: ['gatehouse'] },
  ],
  handler: () => done,
});

export const reportStrays = defineReconcile({
  name: 'report-strays',
  capability: 'node-affinity',
  summary: 'Reports pods outside the pool.',
  trigger: { watch: { of: nodes }, everySeconds: 300 },
  deadlineMs: 10_000,
  uses: ['cluster', 'events', 'nodes', 'measures'],
  access: [{ kind: pods, verbs: ['list'] }],
  handler: () => done,
});

export const showConsole = defineEndpoint({
  name: 'show-console',
  capability: 'console',
  trigger: { path: '/console' },
  deadlineMs: 5_000,
  uses: [],
  handler: () => ({ fetch: () => new Response('hello') }),
});

export const samples = [
  stampPool,
  mapImages,
  requireDigest,
  countPods,
  renewCertificate,
  reportStrays,
  showConsole,
];

export function planOf(changes: Partial<Plan> = {}): Plan {
  return {
    definitions: samples,
    settings: defaultSettings,
    image: 'gatehouse:test',
    replicas: 2,
    certificates: 'self',
    grouping: 'fused',
    caller: { kind: 'service' },
    compiles: () => true,
    ...changes,
  };
}

export function theOne(
  manifests: readonly KubeObject[],
  kind: string,
  name?: string,
): KubeObject & JsonObject {
  const [found, ...others] = manifests.filter(
    (each) => each.kind === kind && (name === undefined || each.metadata.name === name),
  );
  if (found !== undefined && others.length === 0) return found;
  throw new Error(`${others.length + (found === undefined ? 0 : 1)} of ${kind} ${name ?? ''}`);
}
