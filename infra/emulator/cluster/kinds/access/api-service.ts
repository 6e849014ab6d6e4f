import type { KindRules } from '../kind-rules.ts';
import { portNumber } from '../pods/volume-checks.ts';
import { all, ensured, inside, preset, specOf, textOf } from '../words/edit.ts';
import { invalid, required, says } from '../words/errors.ts';
import { dns1035Label, dnsSubdomain, pathSegment } from '../words/names.ts';
import {
  child,
  type Errors,
  isEmpty,
  isStated,
  none,
  number,
  type Place,
  text,
} from '../words/place.ts';
import { timestamp } from '../words/time.ts';

/** Its availability is the aggregator's to say. */
export const apiService: KindRules = {
  defaults: all(ensured('spec', inside('service', preset({ port: 443 }))), ensured('status')),
  status: (whole, { now }) =>
    specOf(whole)['service'] === undefined ? { conditions: [local(timestamp(now))] } : {},
  name: pathSegment,
  hasFreeFinalizers: true,
  isClusterWide: true,
  checks: (at) => [...checkedName(at), ...checkedSpec(child(at, 'spec'))],
};

function local(at: string) {
  return {
    type: 'Available',
    status: 'True',
    reason: 'Local',
    message: 'Local APIServices are always available',
    lastTransitionTime: at,
  };
}

function checkedName(at: Place): Errors {
  const name = child(at, 'metadata', 'name');
  const spec = child(at, 'spec');
  const wanted = `${text(child(spec, 'version'))}.${text(child(spec, 'group'))}`;
  if (pathSegment(text(name)).length > 0 || text(name) === wanted) return none;
  return [invalid(name, `must be \`spec.version+"."+spec.group\`: "${wanted}"`)];
}

function checkedSpec(spec: Place): Errors {
  const [group, version] = [child(spec, 'group'), child(spec, 'version')];
  const [groupPriority, priority] = [
    child(spec, 'groupPriorityMinimum'),
    child(spec, 'versionPriority'),
  ];
  const groupless = 'only v1 may have an empty group and it better be legacy kube';
  return [
    ...(isEmpty(group) && text(version) !== 'v1' ? [required(group, groupless)] : none),
    ...(isEmpty(group) ? none : says(dnsSubdomain)(group)),
    ...says(dns1035Label)(version),
    ...bounded(groupPriority, 20_000),
    ...bounded(priority, 1000),
    ...(isStated(child(spec, 'service')) ? checkedService(spec) : checkedLocal(spec)),
  ];
}

function bounded(at: Place, most: number): Errors {
  return number(at) > 0 && number(at) <= most
    ? none
    : [invalid(at, `must be positive and less than ${most}`, number(at))];
}

function checkedLocal(spec: Place): Errors {
  const [bundle, skip] = [child(spec, 'caBundle'), child(spec, 'insecureSkipTLSVerify')];
  const bytes = `${Buffer.from(textOf({ bundle: bundle.value ?? '' }, 'bundle'), 'base64').length} bytes`;
  return [
    ...(isEmpty(bundle)
      ? none
      : [invalid(bundle, 'local APIServices may not have a caBundle', bytes)]),
    ...(skip.value === true
      ? [invalid(skip, 'local APIServices may not have insecureSkipTLSVerify')]
      : none),
  ];
}

function checkedService(spec: Place): Errors {
  const service = child(spec, 'service');
  const [bundle, skip, port] = [
    child(spec, 'caBundle'),
    child(spec, 'insecureSkipTLSVerify'),
    child(service, 'port'),
  ];
  return [
    ...['namespace', 'name']
      .map((key) => child(service, key))
      .filter(isEmpty)
      .map((at) => required(at)),
    ...(portNumber(port).length > 0
      ? [invalid(port, 'port is not valid: must be between 1 and 65535, inclusive')]
      : none),
    ...(skip.value === true && !isEmpty(bundle)
      ? [invalid(skip, 'may not be true if caBundle is present')]
      : none),
  ];
}
