import { invalid, notSupported, required, says, stated } from '../words/errors.ts';
import { configKey, dnsSubdomain, envName, qualifiedName } from '../words/names.ts';
import {
  child,
  type Errors,
  isEmpty,
  isStated,
  items,
  none,
  type Place,
  text,
} from '../words/place.ts';
import { printedQuantity, quantityOf } from '../words/quantity.ts';

export function checkedEnv(container: Place): Errors {
  return [
    ...items(container, 'env').flatMap(checkedVariable),
    ...checkedEnvFrom(child(container, 'envFrom'), items(container, 'envFrom')),
  ];
}

function checkedVariable(at: Place): Errors {
  const from = child(at, 'valueFrom');
  return [
    ...stated(child(at, 'name'), says(envName)),
    ...(isStated(from) ? checkedSource(from, child(at, 'value')) : none),
  ];
}

const sources = [
  'fieldRef',
  'resourceFieldRef',
  'configMapKeyRef',
  'secretKeyRef',
  'fileKeyRef',
] as const;

const oneOfSources =
  'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';

function checkedSource(from: Place, value: Place): Errors {
  const found = sources.filter((key) => isStated(child(from, key)));
  return [...checkedParts(from), ...countedSources(from, found.length, !isEmpty(value))];
}

function countedSources(from: Place, found: number, hasValue: boolean): Errors {
  if (found === 0) return [invalid(from, oneOfSources, '')];
  if (hasValue) return [invalid(from, 'may not be specified when `value` is not empty', '')];
  return found > 1
    ? [invalid(from, 'may not have more than one field specified at a time', '')]
    : none;
}

function checkedParts(from: Place): Errors {
  const [field, resource] = [child(from, 'fieldRef'), child(from, 'resourceFieldRef')];
  return [
    ...(isStated(field) ? checkedFieldRef(field, envFields) : none),
    ...(isStated(resource) ? checkedResourceRef(resource, false) : none),
    ...['configMapKeyRef', 'secretKeyRef'].flatMap((key) => checkedKeyRef(child(from, key))),
  ];
}

function checkedKeyRef(at: Place): Errors {
  if (!isStated(at)) return none;
  return [...says(dnsSubdomain)(child(at, 'name')), ...stated(child(at, 'key'), says(configKey))];
}

const envFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
] as const;

export const volumeFields = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
] as const;

/** What the downward API knows of a pod at all. */
const labelled = new Set<string>([
  ...envFields,
  ...volumeFields,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
  'spec.host',
]);

export function checkedFieldRef(at: Place, known: readonly string[]): Errors {
  const path = child(at, 'fieldPath');
  if (text(path) === '') return [required(path)];
  const [, base, key] = /^(metadata\.(?:annotations|labels))\['(.*)'\]$/.exec(text(path)) ?? [];
  if (key !== undefined) {
    const name = base === 'metadata.annotations' ? key.toLowerCase() : key;
    return qualifiedName(name).map((complaint) => invalid(at, complaint, name));
  }
  if (!labelled.has(text(path))) {
    return [invalid(path, `error converting fieldPath: field label not supported: ${text(path)}`)];
  }
  return known.includes(text(path)) ? none : [notSupported(path, known)];
}

const resourceFields = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
] as const;

export function checkedResourceRef(at: Place, isOfVolume: boolean): Errors {
  return [...checkedResource(at, isOfVolume), ...checkedDivisor(at)];
}

function checkedResource(at: Place, isOfVolume: boolean): Errors {
  const [container, resource] = [child(at, 'containerName'), child(at, 'resource')];
  if (isOfVolume && isEmpty(container)) return [required(container)];
  if (isEmpty(resource)) return [required(resource)];
  const isHuge = /^(requests|limits)\.hugepages-/.test(text(resource));
  const isKnown = isHuge || resourceFields.some((each) => each === text(resource));
  return isKnown ? none : [notSupported(resource, resourceFields)];
}

const memoryUnits = '1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei';

function checkedDivisor(at: Place): Errors {
  const [resource, divisor] = [text(child(at, 'resource')), child(at, 'divisor')];
  const amount = quantityOf(divisor.value);
  if (amount === undefined || amount.nano === 0n) return none;
  const printed = printedQuantity(amount);
  if (/^(limits|requests)\.cpu$/.test(resource)) {
    const why = "only divisor's values 1m and 1 are supported with the cpu resource";
    return ['1m', '1'].includes(printed) ? none : [invalid(divisor, why, resource)];
  }
  const called = /\.memory$/.test(resource) ? 'memory' : 'local ephemeral storage';
  const why = `only divisor's values ${memoryUnits} are supported with the ${called} resource`;
  return memoryUnits.split(', ').includes(printed) ? none : [invalid(divisor, why, resource)];
}

/** Errors of the number of sources name the list. */
function checkedEnvFrom(list: Place, all: readonly Place[]): Errors {
  return all.flatMap((at) => {
    const found = ['configMapRef', 'secretRef'].map((key) => child(at, key)).filter(isStated);
    return [
      ...says(envName)(child(at, 'prefix')),
      ...found.flatMap((ref) => stated(child(ref, 'name'), says(dnsSubdomain))),
      ...(found.length === 0
        ? [invalid(list, 'must specify one of: `configMapRef` or `secretRef`', '')]
        : none),
      ...(found.length > 1
        ? [invalid(list, 'may not have more than one field specified at a time', '')]
        : none),
    ];
  });
}
