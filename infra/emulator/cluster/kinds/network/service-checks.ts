import { isIP } from 'node:net';
import type { JsonObject } from '#shared/domain/json.ts';
import { checkedIp, checkedReach } from '../words/addresses.ts';
import { specOf } from '../words/edit.ts';
import {
  duplicates,
  forbidden,
  invalid,
  notSupported,
  oneOf,
  required,
  says,
} from '../words/errors.ts';
import { checkedLabels } from '../words/metadata.ts';
import { dnsSubdomain } from '../words/names.ts';
import {
  child,
  type Errors,
  isEmpty,
  isStated,
  items,
  itemsAt,
  none,
  number,
  type Place,
  text,
} from '../words/place.ts';
import { checkedNodePorts, checkedPorts, samePorts } from './service-ports.ts';

const kinds = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'] as const;

export function checkedService(at: Place): Errors {
  const spec = child(at, 'spec');
  return [
    ...checkedKind(spec),
    ...checkedPorts(spec),
    ...checkedLabels(child(spec, 'selector')),
    ...checkedAffinity(spec),
    ...(typeOf(spec) === 'ExternalName' ? none : checkedAddresses(spec)),
    ...items(spec, 'externalIPs').flatMap((ip) => {
      const bad = checkedIp(ip);
      return bad.length > 0 ? bad : checkedReach(ip);
    }),
    ...(kinds.some((kind) => kind === typeOf(spec))
      ? none
      : [notSupported(child(spec, 'type'), kinds)]),
    ...checkedNodePorts(spec),
    ...samePorts(spec),
    ...checkedBalancer(spec),
    ...checkedPolicies(spec),
    ...checkedDistribution(child(spec, 'trafficDistribution')),
  ];
}

function typeOf(spec: Place): string {
  return text(child(spec, 'type'));
}

function isHeadless(spec: Place): boolean {
  return text(child(spec, 'clusterIP')) === 'None';
}

function checkedKind(spec: Place): Errors {
  const [ports, first] = [child(spec, 'ports'), items(spec, 'clusterIPs')[0]];
  const type = typeOf(spec);
  const isBare = isEmpty(ports) && !isHeadless(spec) && type !== 'ExternalName';
  const isWrong = ['LoadBalancer', 'NodePort'].includes(type) && isHeadless(spec);
  return [
    ...(isBare ? [required(ports)] : none),
    ...(isWrong && first !== undefined
      ? [invalid(first, `may not be set to 'None' for ${type} services`)]
      : none),
    ...(type === 'ExternalName' ? checkedExternal(spec) : none),
  ];
}

function checkedExternal(spec: Place): Errors {
  const name = child(spec, 'externalName');
  const bare = text(name).replace(/\.$/, '');
  return [
    ...['clusterIPs', 'ipFamilies', 'ipFamilyPolicy']
      .map((key) => child(spec, key))
      .filter((at) => !isEmpty(at))
      .map((at) => forbidden(at, 'may not be set for ExternalName services')),
    ...(bare === '' ? [required(name)] : says(dnsSubdomain)({ ...name, value: bare })),
  ];
}

function checkedAffinity(spec: Place): Errors {
  const affinity = child(spec, 'sessionAffinity');
  const seconds = child(spec, 'sessionAffinityConfig', 'clientIP', 'timeoutSeconds');
  if (!['ClientIP', 'None'].includes(text(affinity))) {
    return [notSupported(affinity, ['ClientIP', 'None'])];
  }
  if (text(affinity) === 'None') return none;
  return number(seconds) > 0 && number(seconds) <= 86_400
    ? none
    : [invalid(seconds, 'must be greater than 0 and less than 86400')];
}

function checkedAddresses(spec: Place): Errors {
  const [list, address] = [child(spec, 'clusterIPs'), text(child(spec, 'clusterIP'))];
  const addresses = items(spec, 'clusterIPs');
  const [families, policy] = [items(spec, 'ipFamilies'), child(spec, 'ipFamilyPolicy')];
  const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
  return [
    ...(address === '' && addresses.length > 0
      ? [invalid(list, 'must be empty when `clusterIP` is not specified')]
      : none),
    ...(address !== '' && addresses[0] !== undefined && text(addresses[0]) !== address
      ? [invalid(list, 'first value must match `clusterIP`')]
      : none),
    ...families
      .filter((at) => !['IPv4', 'IPv6'].includes(text(at)))
      .map((at) => notSupported(at, ['IPv4', 'IPv6'])),
    ...duplicates(families),
    ...(isStated(policy) && !policies.includes(text(policy))
      ? [notSupported(policy, policies)]
      : none),
    ...addresses.filter((at) => text(at) !== 'None').flatMap(checkedIp),
    ...(isTwice(addresses)
      ? [invalid(list, 'may specify no more than one IP for each IP family')]
      : none),
  ];
}

function isTwice(addresses: readonly Place[]): boolean {
  const families = addresses.map((at) => isIP(text(at))).filter((family) => family !== 0);
  return new Set(families).size < families.length;
}

function checkedFamily(at: Place, family: Place | undefined): Errors {
  const stated = family === undefined ? '' : text(family);
  const found = isIP(text(at));
  if (found === 0 || family === undefined || !['IPv4', 'IPv6'].includes(stated)) return none;
  const index = family.path.slice(family.path.indexOf('['));
  return stated === `IPv${found}`
    ? none
    : [invalid(at, `expected an ${stated} value as indicated by \`ipFamilies${index}\``)];
}

/** The emulated cluster has addresses of one family. */
export function checkedFamilies(at: Place): Errors {
  const spec = child(at, 'spec');
  const policy = child(spec, 'ipFamilyPolicy');
  const isOwnerless = isHeadless(spec) && isEmpty(child(spec, 'selector'));
  if (isOwnerless || typeOf(spec) === 'ExternalName') return none;
  if (text(policy) === 'RequireDualStack') {
    return [invalid(policy, 'this cluster is not configured for dual-stack services')];
  }
  return items(spec, 'ipFamilies')
    .filter((family) => text(family) === 'IPv6')
    .map((family) => invalid(family, 'not configured on this cluster'));
}

function checkedSourceRanges(spec: Place): Errors {
  const path = 'spec.LoadBalancerSourceRanges';
  return itemsAt({ ...child(spec, 'loadBalancerSourceRanges'), path }).flatMap((at) => {
    const [address = '', bits = '', ...more] = text(at).trim().split('/');
    const most = isIP(address) === 4 ? 32 : 128;
    const isRange = isIP(address) > 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
    const why = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
    return isRange && more.length === 0 ? none : [invalid(at, why)];
  });
}

function checkedBalancer(spec: Place): Errors {
  const why = "may only be used when `type` is 'LoadBalancer'";
  const ranges = child(spec, 'loadBalancerSourceRanges');
  const allocate = child(spec, 'allocateLoadBalancerNodePorts');
  const named = child(spec, 'loadBalancerClass');
  if (typeOf(spec) === 'LoadBalancer') return checkedSourceRanges(spec);
  return [
    ...(isEmpty(ranges)
      ? none
      : [forbidden({ ...ranges, path: 'spec.LoadBalancerSourceRanges' }, why)]),
    ...checkedSourceRanges(spec),
    ...[allocate, named].filter(isStated).map((at) => forbidden(at, why)),
  ];
}

function checkedPolicies(spec: Place): Errors {
  const [external, internal] = [
    child(spec, 'externalTrafficPolicy'),
    child(spec, 'internalTrafficPolicy'),
  ];
  const isOpen =
    ['NodePort', 'LoadBalancer'].includes(typeOf(spec)) ||
    (typeOf(spec) === 'ClusterIP' && !isEmpty(child(spec, 'externalIPs')));
  const known = ['Cluster', 'Local'];
  return [
    ...(!isOpen && !isEmpty(external)
      ? [invalid(external, 'may only be set for externally-accessible services')]
      : none),
    ...(isOpen && !known.includes(text(external)) ? [notSupported(external, known)] : none),
    ...checkedHealthPort(spec),
    ...(isStated(internal) && !known.includes(text(internal))
      ? [notSupported(internal, known)]
      : none),
  ];
}

function checkedDistribution(at: Place): Errors {
  return isStated(at) ? oneOf(at, ['PreferClose', 'PreferSameZone', 'PreferSameNode']) : none;
}

function checkedHealthPort(spec: Place): Errors {
  const port = child(spec, 'healthCheckNodePort');
  const isAsked =
    typeOf(spec) === 'LoadBalancer' && text(child(spec, 'externalTrafficPolicy')) === 'Local';
  const why =
    "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return !isAsked && number(port) !== 0 ? [invalid(port, why)] : none;
}

/** An address that was given stays. */
export function checkedServiceChange(next: Place, before: JsonObject): Errors {
  const [spec, was] = [child(next, 'spec'), specOf(before)];
  const old = { path: '', value: was };
  const isNamed = typeOf(spec) === 'ExternalName' || text(child(old, 'type')) === 'ExternalName';
  if (isNamed || (isHeadless(spec) && isHeadless(old))) return none;
  const [list, address] = [child(spec, 'clusterIPs'), items(spec, 'clusterIPs')[0]];
  const first = { path: `${list.path}[0]`, value: list.value };
  const [given] = items(old, 'clusterIPs');
  if (given === undefined) return none;
  if (address === undefined) return [invalid(first, 'primary clusterIP can not be unset', null)];
  if (text(address) !== text(given)) return [invalid(first, 'may not change once set')];
  const addresses = items(spec, 'clusterIPs');
  const families = items(spec, 'ipFamilies');
  const unlike = addresses.flatMap((at, index) => checkedFamily(at, families[index]));
  if (unlike.length > 0) return unlike;
  const isNew = text(child(spec, 'ipFamilyPolicy')) !== text(child(old, 'ipFamilyPolicy'));
  return isNew ? checkedFamilies(next) : none;
}
