import { isForbiddenLabel } from '../../cluster/admission/steps/node-labels.ts';
import { timeText, withCondition } from '../conditions.ts';
import type { Condition, Labels } from '../shapes/meta.ts';
import type { Node } from '../shapes/surroundings.ts';
import { nodeAddress } from './addresses.ts';
import type { NodeOptions } from './options.ts';

const ordinary = { cpu: '8', memory: '32Gi', 'ephemeral-storage': '100Gi', pods: '110' } as const;

/** The kubelet registers the node, and says of itself what others decide by; no node gives itself what it is not trusted with. */
export function nodeObject({ name, labels, taints }: NodeOptions) {
  return {
    metadata: {
      name,
      labels: {
        'beta.kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        ...labelsBy('kubelet', labels),
      },
    },
    spec: taints === undefined ? {} : { taints },
  };
}

/** Those that a node may state of itself, or those that somebody else states of it. */
export function labelsBy(whom: 'kubelet' | 'others', labels: Labels = {}): Labels {
  const all = Object.entries(labels);
  return Object.fromEntries(all.filter(([key]) => isForbiddenLabel(key) === (whom === 'others')));
}

const healthy: readonly Condition[] = [
  said('MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
  said('DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
  said('PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
  { ...said('Ready', 'KubeletReady', 'kubelet is posting ready status'), status: 'True' },
];

function said(type: string, reason: string, message: string): Condition {
  return { type, status: 'False', reason, message };
}

type Facts = { readonly index: number; readonly version: string; readonly now: Date };

export function nodeStatus(
  node: Node,
  { allocatable, name }: NodeOptions,
  { index, version, now }: Facts,
) {
  const at = timeText(now);
  const amounts = { ...ordinary, ...allocatable };
  return {
    capacity: amounts,
    allocatable: amounts,
    addresses: [
      { type: 'InternalIP', address: nodeAddress(index) },
      { type: 'Hostname', address: name },
    ],
    conditions: healthy.reduce<readonly Condition[]>(
      (conditions, next) => withCondition(conditions, { ...next, lastHeartbeatTime: at }, at),
      node.status?.conditions ?? [],
    ),
    daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
    nodeInfo: {
      architecture: 'amd64',
      operatingSystem: 'linux',
      osImage: 'Gatehouse emulator',
      kernelVersion: '6.0.0',
      containerRuntimeVersion: 'containerd://2.0.0',
      kubeletVersion: version,
      kubeProxyVersion: '',
      bootID: '',
      machineID: '',
      systemUUID: '',
    },
  };
}
