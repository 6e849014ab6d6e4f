import type { Condition, Labels, Meta, Selector, Thing } from './meta.ts';

export type Pod = Thing & { readonly spec: PodSpec; readonly status?: PodStatus };

export type PodTemplate = {
  readonly metadata?: Partial<Pick<Meta, 'labels' | 'annotations' | 'finalizers'>>;
  readonly spec: PodSpec;
};

export type PodSpec = {
  readonly nodeName?: string;
  readonly hostname?: string;
  readonly subdomain?: string;
  readonly schedulerName?: string;
  readonly schedulingGates?: readonly { readonly name: string }[];
  readonly nodeSelector?: Labels;
  readonly affinity?: Affinity;
  readonly tolerations?: readonly Toleration[];
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  readonly terminationGracePeriodSeconds?: number;
  readonly activeDeadlineSeconds?: number;
  readonly hostNetwork?: boolean;
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly ephemeralContainers?: readonly Container[];
  readonly imagePullSecrets?: readonly { readonly name: string }[];
  readonly readinessGates?: readonly { readonly conditionType: string }[];
  readonly volumes?: readonly Volume[];
  readonly overhead?: Quantities;
};

export type Affinity = { readonly nodeAffinity?: NodeAffinity; readonly [more: string]: unknown };

export type NodeAffinity = {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: {
    readonly nodeSelectorTerms: readonly NodeTerm[];
  };
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly weight: number;
    readonly preference: NodeTerm;
  }[];
};

export type NodeTerm = {
  readonly matchExpressions?: readonly NodeRequirement[];
  readonly matchFields?: readonly NodeRequirement[];
};

export type NodeRequirement = {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  readonly values?: readonly string[];
};

export type Toleration = {
  readonly key?: string;
  readonly operator?: 'Exists' | 'Equal';
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
};

export type Quantities = Readonly<Record<string, string | number>>;

export type Container = {
  readonly name: string;
  readonly image: string;
  readonly imagePullPolicy?: string;
  readonly restartPolicy?: 'Always';
  readonly ports?: readonly ContainerPort[];
  readonly env?: readonly EnvVariable[];
  readonly envFrom?: readonly EnvSource[];
  readonly resources?: { readonly requests?: Quantities; readonly limits?: Quantities };
};

export type ContainerPort = {
  readonly name?: string;
  readonly containerPort: number;
  readonly protocol?: string;
};

export type EnvVariable = {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly configMapKeyRef?: Named;
    readonly secretKeyRef?: Named;
    readonly fieldRef?: { readonly fieldPath: string };
  };
};

export type EnvSource = { readonly configMapRef?: Named; readonly secretRef?: Named };

type Named = { readonly name?: string; readonly optional?: boolean };

export type Volume = {
  readonly name: string;
  readonly configMap?: Named;
  readonly secret?: { readonly secretName?: string; readonly optional?: boolean };
  readonly projected?: { readonly sources?: readonly ProjectedSource[] };
  readonly persistentVolumeClaim?: { readonly claimName: string };
};

export type ProjectedSource = {
  readonly configMap?: Named;
  readonly secret?: Named;
  readonly clusterTrustBundle?: {
    readonly name?: string;
    readonly signerName?: string;
    readonly labelSelector?: Selector;
    readonly optional?: boolean;
  };
};

export type PodStatus = {
  readonly qosClass?: string;
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly hostIP?: string;
  readonly hostIPs?: readonly Address[];
  readonly podIP?: string;
  readonly podIPs?: readonly Address[];
  readonly startTime?: string;
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[];
};

export type Address = { readonly ip: string };

export type ContainerStatus = {
  readonly name: string;
  readonly image: string;
  readonly imageID: string;
  readonly containerID?: string;
  readonly ready: boolean;
  readonly started?: boolean;
  readonly restartCount: number;
  readonly state: ContainerState;
  readonly lastState?: ContainerState;
  readonly resources?: Container['resources'];
  readonly allocatedResources?: Quantities;
};

export type ContainerState = {
  readonly waiting?: { readonly reason: string; readonly message?: string };
  readonly running?: { readonly startedAt: string };
  readonly terminated?: Terminated;
};

export type Terminated = {
  readonly exitCode: number;
  readonly reason: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly containerID?: string;
};

export function hasCondition(status: PodStatus | undefined, type: string): boolean {
  return status?.conditions?.some((each) => each.type === type && each.status === 'True') ?? false;
}

export function isReady({ status }: Pod): boolean {
  return hasCondition(status, 'Ready');
}

/** Nothing of it will run again. */
export function isOver({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

export function isActive(pod: Pod): boolean {
  return !isOver(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** On its way out, and not over yet. */
export function isTerminating(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined && !isOver(pod);
}

/** When it has been ready for so long; `undefined` while it is not ready at all. */
export function availableAt({ status }: Pod, minReadySeconds: number): number | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') return undefined;
  return minReadySeconds === 0
    ? 0
    : Date.parse(ready.lastTransitionTime ?? '') + minReadySeconds * 1_000;
}
