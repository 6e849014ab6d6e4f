import { duplicate, forbidden, notSupported, required, says, stated } from '../words/errors.ts';
import { dnsLabel, portName } from '../words/names.ts';
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
import { checkedEnv } from './env-checks.ts';
import { checkedDevices, checkedMounts } from './mount-checks.ts';
import { checkedLife, probes } from './probe-checks.ts';
import { checkedResizePolicy, checkedResources } from './resource-checks.ts';
import { checkedSecurity } from './security-checks.ts';
import { portNumber } from './volume-checks.ts';

/** What a container's check must know of the pod around it. */
export type Around = {
  readonly volumes: ReadonlySet<string>;
  readonly restartPolicy: string;
  readonly graceSeconds: number;
};

export function checkedContainers(list: Place, all: readonly Place[], around: Around): Errors {
  if (all.length === 0) return [required(list)];
  const names = new Set<string>();
  const errors = all.flatMap((at) => [
    ...checkedContainer(at, around),
    ...takenName(at, names),
    ...checkedLife(at, around.graceSeconds),
    ...checkedRestart(at),
  ]);
  return [...errors, ...hostPortClashes(all)];
}

function takenName(container: Place, names: Set<string>): Errors {
  const name = child(container, 'name');
  if (names.has(text(name))) return [duplicate({ ...name, value: text(name) })];
  names.add(text(name));
  return none;
}

function checkedRestart(container: Place): Errors {
  const policy = child(container, 'restartPolicy');
  const known = ['Always', 'Never', 'OnFailure'];
  if (!isStated(policy)) return none;
  return known.includes(text(policy)) ? none : [notSupported(policy, known)];
}

export function checkedInitContainers(
  all: readonly Place[],
  regular: readonly Place[],
  around: Around,
): Errors {
  const names = new Set(regular.map((at) => text(child(at, 'name'))));
  return all.flatMap((at) => {
    const isSidecar = text(child(at, 'restartPolicy')) === 'Always';
    return [
      ...checkedContainer(at, around),
      ...checkedRestart(at),
      ...takenName(at, names),
      ...hostPortClashes([at]),
      ...(isSidecar ? checkedLife(at, around.graceSeconds) : lifeless(at)),
    ];
  });
}

function lifeless(container: Place): Errors {
  return ['lifecycle', ...probes]
    .map((key) => child(container, key))
    .filter(isStated)
    .map((at) => forbidden(at, 'may not be set for init containers without restartPolicy=Always'));
}

const terminations = ['File', 'FallbackToLogsOnError'] as const;
const pulls = ['Always', 'IfNotPresent', 'Never'] as const;

/** What holds for every container, whatever its place in the pod. */
export function checkedContainer(at: Place, around: Around): Errors {
  return [
    ...stated(child(at, 'name'), says(dnsLabel)),
    ...stated(child(at, 'image')),
    ...known(child(at, 'terminationMessagePolicy'), terminations),
    ...checkedPorts(items(at, 'ports')),
    ...checkedEnv(at),
    ...checkedMounts(at, around.volumes),
    ...checkedDevices(at, around.volumes),
    ...known(child(at, 'imagePullPolicy'), pulls),
    ...checkedResources(child(at, 'resources')),
    ...checkedResizePolicy(at, around.restartPolicy),
    ...checkedSecurity(child(at, 'securityContext')),
  ];
}

function known(at: Place, values: readonly string[]): Errors {
  return stated(at, () => (values.includes(text(at)) ? none : [notSupported(at, values)]));
}

const protocols = ['SCTP', 'TCP', 'UDP'] as const;

export function checkedProtocol(at: Place): Errors {
  return known(at, protocols);
}

function checkedPorts(ports: readonly Place[]): Errors {
  const names = new Set<string>();
  return ports.flatMap((at) => {
    const [name, port, hostPort] = [
      child(at, 'name'),
      child(at, 'containerPort'),
      child(at, 'hostPort'),
    ];
    return [
      ...(isEmpty(name) ? none : portNames(name, names)),
      ...(number(port) === 0 ? [required(port)] : portNumber(port)),
      ...(number(hostPort) === 0 ? none : portNumber(hostPort)),
      ...checkedProtocol(child(at, 'protocol')),
    ];
  });
}

function portNames(name: Place, names: Set<string>): Errors {
  const bad = says(portName)(name);
  if (bad.length > 0) return bad;
  if (names.has(text(name))) return [duplicate(name)];
  names.add(text(name));
  return none;
}

function hostPortClashes(containers: readonly Place[]): Errors {
  const taken = new Set<string>();
  return containers.flatMap((container) =>
    items(container, 'ports').flatMap((at) => {
      const port = number(child(at, 'hostPort'));
      if (port === 0) return none;
      const key = `${text(child(at, 'protocol'))}/${text(child(at, 'hostIP'))}/${port}`;
      if (!taken.has(key)) {
        taken.add(key);
        return none;
      }
      return [duplicate({ path: child(at, 'hostPort').path, value: key })];
    }),
  );
}
