import { isIP } from 'node:net';
import type { KindRules } from '../kind-rules.ts';
import { portNumber } from '../pods/volume-checks.ts';
import { all, ensured, inside, preset } from '../words/edit.ts';
import { invalid, notSupported, required, says } from '../words/errors.ts';
import { dns1035Label, dnsSubdomain, portName, wildcard } from '../words/names.ts';
import {
  child,
  type Errors,
  isEmpty,
  isStated,
  items,
  none,
  number,
  type Place,
  text,
} from '../words/place.ts';

/** Basics: stored and checked; nothing listens. */
export const ingress: KindRules = {
  defaults: all(ensured('spec'), ensured('status', ensured('loadBalancer'))),
  status: { loadBalancer: {} },
  counts: ['spec'],
  checks: (at) => checkedSpec(child(at, 'spec')),
};

export const ingressClass: KindRules = {
  defaults: ensured('spec', inside('parameters', preset({ scope: 'Cluster' }))),
  counts: ['spec'],
  isClusterWide: true,
};

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
