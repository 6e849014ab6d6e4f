import { isIP } from 'node:net';
import type { KindRules } from '../kind-rules.ts';
import { portNumber } from '../pods/volume-checks.ts';
import {
  all,
  type Edit,
  each,
  ensured,
  inside,
  metadataOf,
  partOf,
  preset,
  specOf,
} from '../words/edit.ts';
import { forbidden, invalid, notSupported, oneOf, required, says } from '../words/errors.ts';
import { immutable } from '../words/metadata.ts';
import { dns1035Label, dnsSubdomain, portName, wildcard } from '../words/names.ts';
import {
  child,
  type Errors,
  isEmpty,
  isStated,
  items,
  none,
  number,
  object,
  type Place,
  text,
} from '../words/place.ts';
import { checkedPrefixedPath } from '../workloads/job-checks.ts';
import { checkedPoint } from './balanced.ts';

/** A group that is not stated is written as null. */
const backend: Edit = inside('resource', (stated) => ({ apiGroup: null, ...stated }));
const grouped: Edit = all(
  inside('defaultBackend', backend),
  each('rules', inside('http', each('paths', inside('backend', backend)))),
);

/** Basics: stored and checked; nothing listens. */
export const ingress: KindRules = {
  defaults: all(ensured('spec', grouped), ensured('status', ensured('loadBalancer'))),
  status: { loadBalancer: {} },
  counts: ['spec'],
  checks: (at) => checkedSpec(child(at, 'spec')),
  checksOfNew: checkedClass,
  statusChecks: (status) => items(child(status, 'loadBalancer'), 'ingress').flatMap(checkedPoint),
  warnings: (whole) =>
    olderClass in partOf(metadataOf(whole), 'annotations')
      ? [`annotation "${olderClass}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
};

const olderClass = 'kubernetes.io/ingress.class';

/** Two ways to say it, which may not differ. */
function checkedClass(at: Place): Errors {
  const stated = object(child(at, 'metadata', 'annotations'))[olderClass];
  const named = child(at, 'spec', 'ingressClassName');
  if (stated === undefined || !isStated(named) || stated === text(named)) return none;
  const place = { path: `annotations.${olderClass}`, value: stated };
  return [invalid(place, 'must match `ingressClassName` when both are specified')];
}

export const ingressClass: KindRules = {
  defaults: ensured('spec', inside('parameters', preset({ scope: 'Cluster' }))),
  counts: ['spec'],
  isClusterWide: true,
  checks: (at) => [
    ...checkedPrefixedPath(child(at, 'spec', 'controller')),
    ...checkedParameters(child(at, 'spec', 'parameters')),
  ],
  changes: (next, before) =>
    immutable(child(next, 'spec', 'controller'), specOf(before)['controller']),
};

function checkedParameters(at: Place): Errors {
  if (!isStated(at)) return none;
  const [scope, namespace] = [child(at, 'scope'), child(at, 'namespace')];
  const isNamespaced = text(scope) === 'Namespace';
  return [
    ...['kind', 'name']
      .map((key) => child(at, key))
      .filter(isEmpty)
      .map((each) => required(each)),
    ...oneOf(scope, ['Cluster', 'Namespace']),
    ...(isNamespaced && !isStated(namespace)
      ? [required(namespace, "`parameters.scope` is set to 'Namespace'")]
      : none),
    ...(text(scope) === 'Cluster' && isStated(namespace)
      ? [forbidden(namespace, "`parameters.scope` is set to 'Cluster'")]
      : none),
  ];
}

function checkedSpec(spec: Place): Errors {
  const [backend, rules] = [child(spec, 'defaultBackend'), items(spec, 'rules')];
  const isNone = rules.length === 0 && !isStated(backend);
  const className = child(spec, 'ingressClassName');
  return [
    ...(isNone
      ? [invalid(spec, 'either `defaultBackend` or `rules` must be specified', null)]
      : none),
    ...(isStated(backend) ? checkedBackend(backend) : none),
    ...rules.flatMap(checkedRule),
    ...items(spec, 'tls').flatMap((at) => [
      ...items(at, 'hosts').flatMap(checkedHost),
      ...(isEmpty(child(at, 'secretName')) ? none : says(dnsSubdomain)(child(at, 'secretName'))),
    ]),
    ...(isStated(className) ? says(dnsSubdomain)(className) : none),
  ];
}

function checkedRule(at: Place): Errors {
  const [host, http] = [child(at, 'host'), child(at, 'http')];
  const paths = child(http, 'paths');
  return [
    ...(isEmpty(host) ? none : checkedRuleHost(host)),
    ...(isStated(http) && isEmpty(paths) ? [required(paths)] : none),
    ...items(http, 'paths').flatMap(checkedPath),
  ];
}

function checkedHost(at: Place): Errors {
  return says(text(at).includes('*') ? wildcard : dnsSubdomain)(at);
}

/** A rule may name a host, but not by its address. */
function checkedRuleHost(at: Place): Errors {
  const why = 'must be a DNS name, not an IP address';
  return [...(isIP(text(at)) === 0 ? none : [invalid(at, why)]), ...checkedHost(at)];
}

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'] as const;

function checkedPath(at: Place): Errors {
  const [path, type] = [child(at, 'path'), child(at, 'pathType')];
  if (!isStated(type))
    return [required(type, 'pathType must be specified'), ...checkedBackend(child(at, 'backend'))];
  const isKnown = pathTypes.some((each) => each === text(type));
  const mustBegin = text(type) !== 'ImplementationSpecific' || !isEmpty(path);
  return [
    ...(isKnown ? none : [notSupported(type, pathTypes)]),
    ...(isKnown && mustBegin && !text(path).startsWith('/')
      ? [invalid(path, 'must be an absolute path', text(path))]
      : none),
    ...(text(type) === 'ImplementationSpecific' ? none : checkedSteps(path)),
    ...checkedBackend(child(at, 'backend')),
  ];
}

const badParts = ['//', '/./', '/../', '%2f', '%2F'] as const;
const badEnds = ['/..', '/.'] as const;

function checkedSteps(at: Place): Errors {
  return [
    ...badParts
      .filter((part) => text(at).includes(part))
      .map((part) => invalid(at, `must not contain '${part}'`)),
    ...badEnds
      .filter((end) => text(at).endsWith(end))
      .map((end) => invalid(at, `cannot end with '${end}'`)),
  ];
}

function checkedBackend(at: Place): Errors {
  const [service, resource] = [child(at, 'service'), child(at, 'resource')];
  if (isStated(service) && isStated(resource)) {
    return [invalid(at, 'cannot set both resource and service backends', '')];
  }
  if (isStated(resource)) return none;
  if (!isStated(service)) return [invalid(at, 'resource or service backend is required', '')];
  const [name, port] = [child(service, 'name'), child(service, 'port')];
  return [
    ...(isEmpty(name) ? [required(name)] : says(dns1035Label)(name)),
    ...checkedServicePort(at, port),
  ];
}

function checkedServicePort(backend: Place, at: Place): Errors {
  const [name, port] = [child(at, 'name'), child(at, 'number')];
  const isNumbered = number(port) !== 0;
  if (isEmpty(name) && !isNumbered) return [required(backend, 'port name or number is required')];
  if (!isEmpty(name) && isNumbered)
    return [invalid(backend, 'cannot set both port name & port number', '')];
  return isNumbered ? portNumber(port) : says(portName)(name);
}
