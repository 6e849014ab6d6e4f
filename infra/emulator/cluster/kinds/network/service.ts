import { isJsonObject, type JsonObject, sameJson } from '#shared/domain/json.ts';
import type { KindRules } from '../kind-rules.ts';
import {
  all,
  type Edit,
  each,
  ensured,
  inside,
  itemsOf,
  numberOf,
  partOf,
  preset,
  presetNought,
  put,
  specOf,
  textOf,
  when,
  without,
} from '../words/edit.ts';
import { dns1035Label } from '../words/names.ts';
import { addressOf, nodePortOf } from './addresses.ts';
import { checkedBalancedStatus } from './balanced.ts';
import { checkedFamilies, checkedService, checkedServiceChange } from './service-checks.ts';
import { serviceWarnings } from './service-warnings.ts';

/** Without a target the port itself is one. */
const port: Edit = (stated) => {
  const target = stated['targetPort'] ?? 0;
  const named = preset({ protocol: 'TCP' })(stated);
  return target === 0 || target === '' ? put(named, 'targetPort', stated['port']) : named;
};

const affinity: Edit = (spec) => {
  if (spec['sessionAffinity'] !== 'ClientIP') return without(spec, ['sessionAffinityConfig']);
  const seconds = partOf(partOf(spec, 'sessionAffinityConfig'), 'clientIP')['timeoutSeconds'];
  const clientIP = { timeoutSeconds: seconds ?? 10_800 };
  return { ...spec, sessionAffinityConfig: { clientIP } };
};

const selected: Edit = (spec) =>
  Object.keys(partOf(spec, 'selector')).length === 0 ? without(spec, ['selector']) : spec;

function isOpen(spec: JsonObject): boolean {
  const hasOwn = Array.isArray(spec['externalIPs']) && textOf(spec, 'type') === 'ClusterIP';
  return ['NodePort', 'LoadBalancer'].includes(textOf(spec, 'type')) || hasOwn;
}

const balanced = inside(
  'status',
  inside(
    'loadBalancer',
    each(
      'ingress',
      when(({ ip }) => ip !== undefined, preset({ ipMode: 'VIP' })),
    ),
  ),
);

export const service: KindRules = {
  defaults: all(
    ensured(
      'spec',
      all(
        selected,
        preset({ sessionAffinity: 'None', type: 'ClusterIP' }),
        affinity,
        each('ports', port),
        when(isOpen, preset({ externalTrafficPolicy: 'Cluster' })),
        when(({ type }) => type !== 'ExternalName', preset({ internalTrafficPolicy: 'Cluster' })),
        when(
          ({ type }) => type === 'LoadBalancer',
          (spec) => ({
            allocateLoadBalancerNodePorts: true,
            ...spec,
          }),
        ),
      ),
    ),
    ensured('status', ensured('loadBalancer')),
    when(({ spec }) => isJsonObject(spec) && spec['type'] === 'LoadBalancer', balanced),
  ),
  status: { loadBalancer: {} },
  created: (whole) => put(whole, 'spec', allocated(whole)),
  kept: (next, before) => put(next, 'spec', keptAddresses(specOf(next), specOf(before), next)),
  name: dns1035Label,
  checks: checkedService,
  checksOfNew: checkedFamilies,
  changes: checkedServiceChange,
  leftStatus: ({ spec }, status) =>
    isJsonObject(spec) && spec['type'] === 'LoadBalancer'
      ? status
      : { ...status, loadBalancer: {} },
  statusChanges: checkedBalancedStatus,
  warnings: serviceWarnings,
};

/** Addresses and ports are functions of the names: nothing else in the emulator gives or counts them. */
function allocated(whole: JsonObject): JsonObject {
  const spec = specOf(whole);
  if (textOf(spec, 'type') === 'ExternalName') return withList(spec);
  const stated = textOf(spec, 'clusterIP');
  // Only a list is none, and is told so.
  if (stated === '' && hasList(spec)) return spec;
  const clusterIP = stated === '' ? addressOf(whole) : stated;
  const clusterIPs = Array.isArray(spec['clusterIPs']) ? spec['clusterIPs'] : [clusterIP];
  const families = familiesOf({ ...spec, clusterIP });
  return withNodePorts({ ...spec, clusterIP, clusterIPs, ...families }, whole);
}

/** The one address is also the first of a list. */
function withList(spec: JsonObject): JsonObject {
  const address = textOf(spec, 'clusterIP');
  return address === '' ? spec : preset({ clusterIPs: [address] })(spec);
}

function hasList({ clusterIPs }: JsonObject): boolean {
  return Array.isArray(clusterIPs) && clusterIPs.length > 0;
}

/** Without addresses and without pods of its own, whoever fills in its endpoints may use both families. */
function familiesOf(spec: JsonObject): JsonObject {
  const isOwnerless = spec['clusterIP'] === 'None' && spec['selector'] === undefined;
  if (isOwnerless && spec['ipFamilyPolicy'] === undefined) {
    return { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack', ...spec };
  }
  return {
    ipFamilies: spec['ipFamilies'] ?? ['IPv4'],
    ipFamilyPolicy: spec['ipFamilyPolicy'] ?? 'SingleStack',
  };
}

function withNodePorts(spec: JsonObject, whole: JsonObject): JsonObject {
  const wanted =
    textOf(spec, 'type') === 'NodePort' ||
    (textOf(spec, 'type') === 'LoadBalancer' && spec['allocateLoadBalancerNodePorts'] !== false);
  if (!wanted) return spec;
  const probed = withHealthPort(spec, whole);
  const given = each('ports', (each) =>
    (numberOf(each, 'nodePort') ?? 0) === 0 ? { ...each, nodePort: nodePortOf(whole, each) } : each,
  );
  return given(probed);
}

/** Where nodes without a pod get no traffic, a balancer asks each. */
function withHealthPort(spec: JsonObject, whole: JsonObject): JsonObject {
  if (!isProbed(spec)) return spec;
  return presetNought({ healthCheckNodePort: nodePortOf(whole, {}) })(spec);
}

/** What a service without an address has nothing to do with. */
const ofAddresses = [
  'clusterIP',
  'clusterIPs',
  'ipFamilies',
  'ipFamilyPolicy',
  'internalTrafficPolicy',
] as const;

const addressKeys = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const;

/** An update that does not state what was given keeps it. */
function keptAddresses(next: JsonObject, before: JsonObject, whole: JsonObject): JsonObject {
  const type = textOf(next, 'type');
  if (type === 'ExternalName')
    return textOf(before, 'type') === type
      ? next
      : withoutBalancer(withoutNodePorts(without(next, ofAddresses), before), before);
  if (textOf(before, 'type') === 'ExternalName') return allocated(whole);
  const kept = addressKeys.reduce(
    (soFar, key) => (soFar[key] === undefined ? put(soFar, key, before[key]) : soFar),
    withoutBalancer(readdressed(next, before), before),
  );
  const own = type === 'ClusterIP' ? withoutNodePorts(kept, before) : withKnownPorts(kept, before);
  return withNodePorts(own, whole);
}

/** Whoever states another address, and not the list, means the list as well. */
function readdressed(next: JsonObject, before: JsonObject): JsonObject {
  const address = textOf(next, 'clusterIP');
  const isOther = address !== '' && address !== textOf(before, 'clusterIP');
  const isListKept = sameJson(next['clusterIPs'] ?? null, before['clusterIPs'] ?? null);
  return isOther && isListKept ? { ...next, clusterIPs: [address] } : next;
}

/** What only a balancer has, where it is as it was for one. */
function withoutBalancer(next: JsonObject, before: JsonObject): JsonObject {
  const isLeft = isBalancer(before) && !isBalancer(next);
  const idle = [
    ...(isLeft ? ['allocateLoadBalancerNodePorts', 'loadBalancerClass'] : []),
    ...(isProbed(before) && !isProbed(next) ? ['healthCheckNodePort'] : []),
  ];
  const same = idle.filter((key) => next[key] === before[key]);
  return without(next, same);
}

function isBalancer({ type }: JsonObject): boolean {
  return type === 'LoadBalancer';
}

function isProbed(spec: JsonObject): boolean {
  return isBalancer(spec) && spec['externalTrafficPolicy'] === 'Local';
}

/** A port of the same name keeps its number, unless another has it now. */
function withKnownPorts(next: JsonObject, before: JsonObject): JsonObject {
  const known = new Map(
    itemsOf(before, 'ports').map((port) => [textOf(port, 'name'), port['nodePort']]),
  );
  const taken = new Set(itemsOf(next, 'ports').map((port) => port['nodePort']));
  return each('ports', (port) => {
    const was = known.get(textOf(port, 'name'));
    const isFree = was !== undefined && !taken.has(was);
    return isFree && (numberOf(port, 'nodePort') ?? 0) === 0 ? { ...port, nodePort: was } : port;
  })(next);
}

/** Only those that are as before: a port that is newly stated is refused. */
function withoutNodePorts(next: JsonObject, before: JsonObject): JsonObject {
  if (textOf(before, 'type') === 'ClusterIP') return next;
  const known = JSON.stringify(before['ports'] ?? []);
  const dropped = each('ports', (port) =>
    known.includes(`"nodePort":${numberOf(port, 'nodePort')}`) ? without(port, ['nodePort']) : port,
  );
  const isKept = textOf(next, 'externalTrafficPolicy') !== textOf(before, 'externalTrafficPolicy');
  return dropped(isKept ? next : without(next, ['externalTrafficPolicy']));
}
