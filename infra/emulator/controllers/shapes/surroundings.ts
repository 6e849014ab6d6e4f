import type { Condition, IntOrPercent, Labels, Selector, Thing } from './meta.ts';
import type { Quantities } from './pod.ts';

export type Namespace = Thing & {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: string; readonly conditions?: readonly Condition[] };
};

export type Node = Thing & {
  readonly spec?: { readonly taints?: readonly Taint[]; readonly unschedulable?: boolean };
  readonly status?: NodeStatus;
};

export type Taint = {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
};

export type NodeStatus = {
  readonly capacity?: Quantities;
  readonly allocatable?: Quantities;
  readonly conditions?: readonly Condition[];
  readonly addresses?: readonly { readonly type: string; readonly address: string }[];
};

export type Secret = Thing & {
  readonly type?: string;
  /** In base64. */
  readonly data?: Labels;
};

export type PersistentVolume = Thing & { readonly status?: { readonly phase?: string } };

export type Service = Thing & {
  readonly spec: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly selector?: Labels;
    readonly ports?: readonly ServicePort[];
    readonly publishNotReadyAddresses?: boolean;
  };
};

export type ServicePort = {
  readonly name?: string;
  readonly port: number;
  readonly targetPort?: number | string;
  readonly protocol?: string;
  readonly appProtocol?: string;
};

export type Endpoints = Thing & { readonly subsets?: readonly Subset[] };

export type Subset = {
  readonly addresses?: readonly EndpointAddress[];
  readonly notReadyAddresses?: readonly EndpointAddress[];
  readonly ports?: readonly EndpointPort[];
};

export type EndpointAddress = {
  readonly ip: string;
  readonly nodeName?: string;
  readonly hostname?: string;
  readonly targetRef?: ObjectReference;
};

export type EndpointPort = {
  readonly name?: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
};

export type ObjectReference = {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
};

export type EndpointSlice = Thing & {
  readonly addressType: string;
  readonly endpoints: readonly SliceEndpoint[];
  readonly ports: readonly EndpointPort[];
};

export type SliceEndpoint = {
  readonly addresses: readonly string[];
  readonly conditions: {
    readonly ready: boolean;
    readonly serving?: boolean;
    readonly terminating?: boolean;
  };
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly zone?: string;
  readonly targetRef?: ObjectReference;
};

export type Budget = Thing & {
  readonly spec: {
    readonly minAvailable?: IntOrPercent;
    readonly maxUnavailable?: IntOrPercent;
    readonly selector?: Selector;
  };
  readonly status?: BudgetStatus;
};

export type BudgetStatus = {
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
  readonly disruptionsAllowed: number;
  readonly observedGeneration?: number;
  readonly disruptedPods?: Labels;
  readonly conditions?: readonly Condition[];
};

export type ClusterRole = Thing & {
  readonly rules?: readonly Readonly<Record<string, readonly string[]>>[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly Selector[] };
};

export type TrustBundle = Thing & { readonly spec?: { readonly signerName?: string } };
