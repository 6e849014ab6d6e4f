import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { merged } from '../testing/cluster/merge.ts';
import type { Rules } from './parts.ts';
import { born } from './pipeline/metadata.ts';
import { idOf, type ServedKind } from './served-kinds.ts';
import type { Store } from './store/store.ts';
import { keyOf, parsedBody } from './store/stored.ts';

const named = { name: 'kubernetes', namespace: 'default' };

/** By which pods find the API server. */
const service = (port: number): JsonObject => ({
  metadata: { ...named, labels: { component: 'apiserver', provider: 'kubernetes' } },
  spec: {
    ...{ type: 'ClusterIP', clusterIP: '10.96.0.1', clusterIPs: ['10.96.0.1'] },
    ...{ ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack', internalTrafficPolicy: 'Cluster' },
    ...{ ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: port }] },
    sessionAffinity: 'None',
  },
  status: { loadBalancer: {} },
});

const endpoints = (ip: string, port: number): JsonObject => ({
  metadata: { ...named, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
  subsets: [{ addresses: [{ ip }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
});

const slice = (ip: string, port: number): JsonObject => ({
  metadata: { ...named, generation: 1, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
  addressType: 'IPv4',
  endpoints: [{ addresses: [ip], conditions: { ready: true } }],
  ports: [{ name: 'https', port, protocol: 'TCP' }],
});

type With = {
  readonly url: string;
  readonly now: () => Date;
  rulesOf(kind: ServedKind, version: string): Rules;
};

/** The server's own service, and where it leads to: made at each start, and again where somebody deletes it. */
export function stateOwnPlace(store: Store, { url, now, rulesOf }: With): void {
  const { hostname, port } = new URL(url);
  const wanted = new Map<string, JsonObject>([
    ['services', service(Number(port))],
    ['endpoints', endpoints(hostname, Number(port))],
    ['endpointslices.discovery.k8s.io', slice(hostname, Number(port))],
  ]);
  const state = (id: string): void => {
    const [of, object] = [store.collections.get(id), wanted.get(id)];
    if (of === undefined || object === undefined) return;
    const before = of.find(keyOf(named.namespace, named.name));
    const rules = rulesOf(of.kind, of.kind.versions[0]);
    if (before === undefined) store.create(of, rules.defaulted(born(object, undefined, now())));
    else store.update(of, before, leading(object, parsedBody(before)));
  };
  for (const id of wanted.keys()) state(id);
  store.onCommit((of, { type, now: gone }) => {
    const id = idOf(of.kind);
    const isOurs = wanted.has(id) && gone.key === keyOf(named.namespace, named.name);
    // Whoever else hears of commits hears of the deletion first.
    if (type === 'DELETED' && isOurs) queueMicrotask(() => state(id));
  });
}

/** What others have written into it stays. */
function leading(
  { metadata: _, status: __, ...place }: JsonObject,
  before: JsonObject,
): JsonObject {
  const led = merged(before, place, 'as-a-whole');
  return isJsonObject(led) ? led : before;
}
