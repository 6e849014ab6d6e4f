import { checkedIp } from '../words/addresses.ts';
import { between, forbidden, invalid, oneOf, required, says } from '../words/errors.ts';
import { checkedLabels } from '../words/metadata.ts';
import { dnsLabel, dnsSubdomain, type NameRule, qualifiedName } from '../words/names.ts';
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
import { checkedAffinity } from './affinity-checks.ts';
import { checkedContainers, checkedInitContainers } from './container-checks.ts';
import { checkedEphemeral } from './ephemeral-checks.ts';
import { checkedHost } from './host-checks.ts';
import { checkedResources } from './resource-checks.ts';
import { checkedSpread, checkedToleration } from './scheduling-checks.ts';
import { checkedPodSecurity } from './security-checks.ts';
import { checkedVolumes } from './volume-checks.ts';

const restarts = ['Always', 'OnFailure', 'Never'] as const;
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'] as const;

/** `isPod`: not a template; some rules are for pods alone. */
export function checkedPodSpec(at: Place, isPod: boolean): Errors {
  const volumes = checkedVolumes(items(at, 'volumes'));
  const around = {
    volumes: volumes.names,
    restartPolicy: text(child(at, 'restartPolicy')),
    graceSeconds: number(child(at, 'terminationGracePeriodSeconds')),
  };
  const [init, regular] = [items(at, 'initContainers'), items(at, 'containers')];
  return [
    ...volumes.errors,
    ...checkedContainers(child(at, 'containers'), regular, around),
    ...checkedInitContainers(init, regular, around),
    ...checkedEphemeral(items(at, 'ephemeralContainers'), [...regular, ...init], around),
    ...checkedHostPorts(at, isPod),
    ...checkedSettings(at),
  ];
}

function checkedSettings(at: Place): Errors {
  return [
    ...oneOf(child(at, 'restartPolicy'), restarts),
    ...oneOf(child(at, 'dnsPolicy'), dnsPolicies),
    ...checkedLabels(child(at, 'nodeSelector')),
    ...checkedPodSecurity(child(at, 'securityContext'), at),
    ...checkedAffinity(child(at, 'affinity')),
    ...checkedDns(child(at, 'dnsConfig'), text(child(at, 'dnsPolicy'))),
    ...checkedGates(at),
    ...checkedSpread(items(at, 'topologySpreadConstraints')),
    ...named(at),
    ...checkedDeadline(child(at, 'activeDeadlineSeconds')),
    ...items(at, 'tolerations').flatMap(checkedToleration),
    ...checkedAliases(items(at, 'hostAliases')),
    ...checkedPreemption(child(at, 'preemptionPolicy')),
    ...checkedHost(at),
    ...(isStated(child(at, 'resources')) ? checkedResources(child(at, 'resources'), 'pod') : none),
  ];
}

const names: Readonly<Record<string, NameRule>> = {
  serviceAccountName: dnsSubdomain,
  nodeName: dnsSubdomain,
  hostname: dnsLabel,
  subdomain: dnsLabel,
  priorityClassName: dnsSubdomain,
  runtimeClassName: dnsSubdomain,
};

function named(spec: Place): Errors {
  return Object.entries(names).flatMap(([key, rule]) => {
    const at = child(spec, key);
    return isEmpty(at) ? none : says(rule)(at);
  });
}

const positive = between(1, 2_147_483_647);

function checkedDeadline(at: Place): Errors {
  return isStated(at) ? positive(at) : none;
}

function checkedPreemption(at: Place): Errors {
  return isStated(at) ? oneOf(at, ['PreemptLowerPriority', 'Never']) : none;
}

function checkedHostPorts(spec: Place, isPod: boolean): Errors {
  if (child(spec, 'hostNetwork').value !== true) return none;
  return items(spec, 'containers')
    .flatMap((container) => items(container, 'ports'))
    .map((port) => [child(port, 'hostPort'), number(child(port, 'containerPort'))] as const)
    .filter(([host, port]) => (isPod || number(host) !== 0) && number(host) !== port)
    .map(([host]) =>
      invalid(host, 'must match `containerPort` when `hostNetwork` is true', number(host)),
    );
}

function checkedDns(at: Place, policy: string): Errors {
  const [servers, searches] = [child(at, 'nameservers'), child(at, 'searches')];
  if (policy === 'None' && !isStated(at)) {
    return [required(at, 'must provide `dnsConfig` when `dnsPolicy` is None')];
  }
  if (policy === 'None' && isEmpty(servers)) {
    const why = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
    return [required(servers, why)];
  }
  return [
    ...(itemsAt(servers).length > 3
      ? [invalid(servers, 'must not have more than 3 nameservers')]
      : none),
    ...itemsAt(servers).flatMap(checkedIp),
    ...(itemsAt(searches).length > 32
      ? [invalid(searches, 'must not have more than 32 search paths')]
      : none),
  ];
}

function checkedAliases(all: readonly Place[]): Errors {
  return all.flatMap((at) => [
    ...checkedIp(child(at, 'ip')),
    ...items(at, 'hostnames').flatMap(says(dnsSubdomain)),
  ]);
}

function checkedGates(spec: Place): Errors {
  const seen = new Set<string>();
  return [
    ...items(spec, 'readinessGates').flatMap((at) =>
      says(qualifiedName)(child(at, 'conditionType')),
    ),
    ...items(spec, 'schedulingGates').flatMap((at) => {
      const name = text(child(at, 'name'));
      const bad = says(qualifiedName)({ path: at.path, value: name });
      const again: Errors = seen.has(name)
        ? [{ field: at.path, reason: 'FieldValueDuplicate', message: `Duplicate value: "${name}"` }]
        : none;
      seen.add(name);
      return [...bad, ...again];
    }),
  ];
}

/** The template of a workload: its metadata is a pod's, but for the name. */
export function noEphemeral(spec: Place): Errors {
  const at = child(spec, 'ephemeralContainers');
  return isEmpty(at) ? none : [forbidden(at, 'ephemeral containers not allowed in pod template')];
}
