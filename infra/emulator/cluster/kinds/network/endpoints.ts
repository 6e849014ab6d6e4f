import { isIP } from 'node:net';
import type { JsonObject } from '#shared/domain/json.ts';
import type { KindRules } from '../kind-rules.ts';
import { checkedProtocol } from '../pods/container-checks.ts';
import { portNumber } from '../pods/volume-checks.ts';
import { ipWarnings } from '../words/address-warnings.ts';
import { checkedIp, checkedReach, checkedUsual } from '../words/addresses.ts';
import { all, each, metadataOf, partOf } from '../words/edit.ts';
import { duplicate, invalid, oneOf, required, says, tooMany } from '../words/errors.ts';
import { immutable } from '../words/metadata.ts';
import { dnsLabel, dnsSubdomain, qualifiedName } from '../words/names.ts';
import {
  child,
  type Errors,
  isEmpty,
  isStated,
  items,
  none,
  number,
  type Place,
  root,
  text,
} from '../words/place.ts';

export const endpoints: KindRules = {
  defaults: each(
    'subsets',
    each('ports', (port) => ({ protocol: 'TCP', ...port })),
  ),
  checks: (at) => items(at, 'subsets').flatMap(checkedSubset),
  warnings: (whole) => [
    'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
    ...(isControlled(whole) ? [] : addressesIn(whole).flatMap(ipWarnings)),
  ],
};

/** Whoever fills them in by the book puts addresses right itself. */
function isControlled(whole: JsonObject): boolean {
  const labels = partOf(metadataOf(whole), 'labels');
  return labels['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller';
}

function addressesIn(whole: JsonObject): readonly Place[] {
  return items(root(whole), 'subsets')
    .flatMap((subset) => ['addresses', 'notReadyAddresses'].flatMap((key) => items(subset, key)))
    .map((each) => child(each, 'ip'));
}

function checkedSubset(at: Place): Errors {
  const lists = ['addresses', 'notReadyAddresses'] as const;
  const isNone = lists.every((key) => isEmpty(child(at, key)));
  const ports = items(at, 'ports');
  return [
    ...(isNone ? [required(at, 'must specify `addresses` or `notReadyAddresses`')] : none),
    ...lists.flatMap((key) => items(at, key).flatMap(checkedAddress)),
    ...ports.flatMap((port) => checkedPort(port, ports.length > 1)),
  ];
}

function checkedAddress(at: Place): Errors {
  const [hostname, node] = [child(at, 'hostname'), child(at, 'nodeName')];
  return [
    ...checkedIp(child(at, 'ip')),
    ...(isEmpty(hostname) ? none : says(dnsLabel)(hostname)),
    ...(isStated(node) ? says(dnsSubdomain)(node) : none),
    ...checkedReach(child(at, 'ip'), 'must be a valid IP address'),
  ];
}

function checkedPort(at: Place, isNamed: boolean): Errors {
  const [name, protocol] = [child(at, 'name'), child(at, 'appProtocol')];
  return [
    ...(isEmpty(name) ? none : says(dnsLabel)(name)),
    ...(isEmpty(name) && isNamed ? [required(name)] : none),
    ...portNumber({ ...child(at, 'port'), value: number(child(at, 'port')) }),
    ...checkedProtocol(child(at, 'protocol')),
    ...(isStated(protocol) ? says(qualifiedName)(protocol) : none),
  ];
}

export const endpointSlice: KindRules = {
  defaults: all(
    // A list that is not stated is written as null.
    (slice) => ({ endpoints: null, ports: null, ...slice }),
    each('ports', (port) => ({ name: '', protocol: 'TCP', ...port })),
    each('endpoints', (endpoint) => ({ conditions: {}, ...endpoint })),
  ),
  counts: ['endpoints', 'ports', 'addressType', 'metadata.labels'],
  checks: checkedSlice,
  changes: (next, before) => immutable(child(next, 'addressType'), before['addressType']),
  warnings: ({ addressType }, before) =>
    before === undefined && addressType === 'FQDN'
      ? ['spec.addressType: FQDN endpoints are deprecated']
      : [],
};

function checkedSlice(at: Place): Errors {
  const type = child(at, 'addressType');
  const all = items(at, 'endpoints');
  return [
    ...(isEmpty(type) ? [required(type)] : oneOf(type, ['FQDN', 'IPv4', 'IPv6'])),
    ...checkedSlicePorts(items(at, 'ports')),
    ...(all.length > 1000 ? [tooMany(child(at, 'endpoints'), all.length, 1000)] : none),
    ...all.flatMap((endpoint) => checkedEndpoint(endpoint, text(type))),
  ];
}

function checkedSlicePorts(ports: readonly Place[]): Errors {
  const names = new Set<string>();
  return ports.flatMap((at) => {
    const name = child(at, 'name');
    const again = names.has(text(name)) ? [duplicate({ ...name, value: text(name) })] : none;
    names.add(text(name));
    return [
      ...(isEmpty(name) ? none : says(dnsLabel)(name)),
      ...again,
      ...checkedProtocol(child(at, 'protocol')),
    ];
  });
}

function checkedEndpoint(at: Place, type: string): Errors {
  const [list, all] = [child(at, 'addresses'), items(at, 'addresses')];
  const [node, hostname] = [child(at, 'nodeName'), child(at, 'hostname')];
  return [
    ...(all.length === 0 ? [required(list, 'must contain at least 1 address')] : none),
    ...(all.length > 100 ? [tooMany(list, all.length, 100)] : none),
    ...(type === 'FQDN' ? none : all.flatMap((each) => checkedOfFamily(list, each, type))),
    ...(isStated(node) ? says(dnsSubdomain)(node) : none),
    ...(isStated(hostname) ? says(dnsLabel)(hostname) : none),
  ];
}

function checkedOfFamily(list: Place, at: Place, type: string): Errors {
  const bad = type === 'IPv6' ? checkedUsual(at) : checkedIp(at);
  if (bad.length > 0) return bad;
  const isOther = isIP(text(at)) !== (type === 'IPv6' ? 6 : 4);
  return [
    ...(isOther ? [invalid(list, `must be an ${type} address`, text(at))] : none),
    ...checkedReach(at),
  ];
}
