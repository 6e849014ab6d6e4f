import { duplicate, forbidden, invalid, notSupported, required } from '../words/errors.ts';
import { qualifiedName } from '../words/names.ts';
import {
  child,
  type Errors,
  entries,
  isEmpty,
  items,
  none,
  type Place,
  text,
} from '../words/place.ts';
import { nanoOf } from '../words/quantity.ts';

const standard = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Names that only a quota may use, and that are no resources of a container. */
const ofQuotas = new Set([
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'storage',
  'requests.storage',
  'services.nodeports',
  'services.loadbalancers',
]);

export function checkedResources(at: Place, of: 'container' | 'pod' = 'container'): Errors {
  const [limits, requests] = [child(at, 'limits'), child(at, 'requests')];
  return [
    ...entries(limits).flatMap(([name, amount]) => checkedAmount(name, amount, of)),
    ...entries(requests).flatMap(([name, amount]) => [
      ...checkedAmount(name, amount, of),
      ...checkedAgainstLimit(name, { amount, limits, requests }),
    ]),
    ...checkedHuge(
      at,
      [...entries(limits), ...entries(requests)].map(([name]) => name),
    ),
  ];
}

function checkedAmount(name: string, at: Place, of: 'container' | 'pod'): Errors {
  const negative = nanoOf(at.value) < 0n;
  return [
    ...(of === 'container' ? checkedResourceName(name, at) : checkedStandardName(name, at)),
    ...(negative ? [invalid(at, 'must be greater than or equal to 0')] : none),
    ...(isWhole(name) && nanoOf(at.value) % 10n ** 9n !== 0n
      ? [invalid(at, 'must be an integer')]
      : none),
  ];
}

function isWhole(name: string): boolean {
  return name.includes('/') && !isNative(name);
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

function isHuge(name: string): boolean {
  return name.startsWith('hugepages-');
}

function checkedStandardName(name: string, at: Place): Errors {
  const bad = qualifiedName(name).map((complaint) => invalid(at, complaint, name));
  const isKnown = standard.has(name) || ofQuotas.has(name) || isHuge(name);
  if (bad.length > 0 || name.includes('/') || isKnown) return bad;
  return [invalid(at, 'must be a standard resource type or fully qualified', name)];
}

function checkedResourceName(name: string, at: Place): Errors {
  const bad = checkedStandardName(name, at);
  if (name.includes('/')) return bad;
  return [
    ...bad,
    ...(standard.has(name) || isHuge(name)
      ? none
      : [invalid(at, 'must be a standard resource for containers', name)]),
  ];
}

type Both = { readonly amount: Place; readonly limits: Place; readonly requests: Place };

/** Errors name the map of requests, not the key. */
function checkedAgainstLimit(name: string, { amount, limits, requests }: Both): Errors {
  const limit = child(limits, name).value;
  const maySurpass = isNative(name) && !isHuge(name);
  if (limit === undefined) {
    const why = 'Limit must be set for non overcommitable resources';
    return maySurpass ? none : [required(limits, why)];
  }
  const [asked, most] = [nanoOf(amount.value), nanoOf(limit)];
  if (!maySurpass && asked !== most) {
    return [invalid(requests, `must be equal to ${name} limit of ${limit}`, amount.value)];
  }
  return asked > most
    ? [invalid(requests, `must be less than or equal to ${name} limit of ${limit}`, amount.value)]
    : none;
}

function checkedHuge(at: Place, names: readonly string[]): Errors {
  const isAlone = names.some(isHuge) && !names.includes('cpu') && !names.includes('memory');
  return isAlone ? [forbidden(at, 'HugePages require cpu or memory')] : none;
}

const policies = ['NotRequired', 'RestartContainer'] as const;

/** Errors name the list, not the item. */
export function checkedResizePolicy(container: Place, restartPolicy: string): Errors {
  const list = child(container, 'resizePolicy');
  const seen = new Set<string>();
  return items(container, 'resizePolicy').flatMap((at) => {
    const resource = text(child(at, 'resourceName'));
    const again = seen.has(resource) ? [duplicate({ path: at.path, value: resource })] : none;
    seen.add(resource);
    return [
      ...again,
      ...oneOfList(list, resource, ['cpu', 'memory']),
      ...checkedPolicy(list, text(child(at, 'restartPolicy')), restartPolicy),
    ];
  });
}

function checkedPolicy(list: Place, policy: string, restartPolicy: string): Errors {
  const isLate = restartPolicy === 'Never' && policy !== 'NotRequired';
  return [
    ...oneOfList(list, policy, policies),
    ...(isLate
      ? [invalid(list, "must be 'NotRequired' when `restartPolicy` is 'Never'", policy)]
      : none),
  ];
}

function oneOfList({ path }: Place, value: string, known: readonly string[]): Errors {
  const at = { path, value };
  if (isEmpty(at)) return [required(at)];
  return known.includes(value) ? none : [notSupported(at, known)];
}
