import { portNumber } from '../pods/volume-checks.ts';
import { duplicate, invalid, oneOf, required } from '../words/errors.ts';
import { dns1035Label, dnsSubdomain } from '../words/names.ts';
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
import { checkedSelector } from '../words/selector.ts';
import { checkedConditions } from './match-conditions.ts';
import { checkedRule } from './webhook-rules.ts';
import { checkedUrl } from './webhook-url.ts';

export function checkedHooks(at: Place): Errors {
  const names = new Set<string>();
  return items(at, 'webhooks').flatMap((hook) => {
    const name = child(hook, 'name');
    const again = !isEmpty(name) && names.has(text(name)) ? [duplicate(name)] : none;
    names.add(text(name));
    return [...checkedHook(hook), ...checkedVersions(hook), ...again];
  });
}

const sideEffects = ['None', 'NoneOnDryRun'] as const;

function checkedHook(at: Place): Errors {
  const [effects, seconds] = [child(at, 'sideEffects'), child(at, 'timeoutSeconds')];
  const isFitting = number(seconds) >= 1 && number(seconds) <= 30;
  const reinvocation = child(at, 'reinvocationPolicy');
  return [
    ...fullName(child(at, 'name')),
    ...items(at, 'rules').flatMap(checkedRule),
    ...oneOf(child(at, 'failurePolicy'), ['Fail', 'Ignore']),
    ...oneOf(child(at, 'matchPolicy'), ['Equivalent', 'Exact']),
    ...(isStated(effects)
      ? oneOf(effects, sideEffects)
      : [required(effects, `must specify one of ${sideEffects.join(', ')}`)]),
    ...(isFitting
      ? none
      : [invalid(seconds, 'the timeout value must be between 1 and 30 seconds')]),
    ...checkedSelector(child(at, 'namespaceSelector')),
    ...checkedSelector(child(at, 'objectSelector')),
    ...(isStated(reinvocation) ? oneOf(reinvocation, ['IfNeeded', 'Never']) : none),
    ...checkedClient(child(at, 'clientConfig')),
    ...checkedConditions(at),
  ];
}

/** A domain of three parts or more. */
function fullName(at: Place): Errors {
  if (isEmpty(at)) return [required(at)];
  const bad = dnsSubdomain(text(at));
  if (bad.length > 0) return [invalid(at, bad.join(','))];
  const why = 'should be a domain with at least three segments separated by dots';
  return text(at).split('.').length < 3 ? [invalid(at, why)] : none;
}

function checkedVersions(hook: Place): Errors {
  const list = child(hook, 'admissionReviewVersions');
  const versions = items(hook, 'admissionReviewVersions');
  if (versions.length === 0) return [required(list, 'must specify one of v1, v1beta1')];
  const seen = new Set<string>();
  const errors = versions.flatMap((at) => {
    if (seen.has(text(at))) return [invalid(at, 'duplicate version')];
    seen.add(text(at));
    return dns1035Label(text(at)).map((complaint) => invalid(at, complaint));
  });
  return seen.has('v1') || seen.has('v1beta1')
    ? errors
    : [...errors, invalid(list, 'must include at least one of v1, v1beta1')];
}

function checkedClient(at: Place): Errors {
  const [url, service] = [child(at, 'url'), child(at, 'service')];
  if (isStated(url) === isStated(service)) {
    return [required(at, 'exactly one of url or service is required')];
  }
  return isStated(url) ? checkedUrl(url) : checkedService(service);
}

/** The real server mixes the two names up, so that each error names the other field. */
function checkedService(at: Place): Errors {
  const [name, namespace, port] = ['name', 'namespace', 'port'].map((key) => child(at, key));
  if (name === undefined || namespace === undefined || port === undefined) return none;
  const bad = portNumber(port);
  return [
    ...(isEmpty(namespace) ? [required(name)] : none),
    ...(isEmpty(name) ? [required(namespace)] : none),
    ...(bad.length > 0
      ? [invalid(port, 'port is not valid: must be between 1 and 65535, inclusive')]
      : none),
    ...checkedPath(child(at, 'path')),
  ];
}

function checkedPath(at: Place): Errors {
  const path = text(at);
  if (path === '' || path === '/') return none;
  if (path === '//') return [invalid(at, 'segment[0] may not be empty')];
  const start = path.startsWith('/') ? none : [invalid(at, "must start with a '/'")];
  const steps = path.slice(1).replace(/\/$/, '').split('/');
  return [
    ...start,
    ...steps.flatMap((step, index) => {
      if (step === '') return [invalid(at, `segment[${index}] may not be empty`)];
      return dnsSubdomain(step).map((complaint) => invalid(at, `segment[${index}]: ${complaint}`));
    }),
  ];
}
