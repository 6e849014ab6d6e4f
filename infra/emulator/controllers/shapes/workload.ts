import type { Condition, IntOrPercent, Labels, Selector, Thing } from './meta.ts';
import type { PodTemplate } from './pod.ts';

export type ReplicaSet = Thing & {
  readonly spec: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly selector: Selector;
    readonly template: PodTemplate;
  };
  readonly status?: ReplicaSetStatus;
};

/** The older form of the same. */
export type ReplicationController = Thing & {
  readonly spec: Omit<ReplicaSet['spec'], 'selector'> & { readonly selector?: Labels };
  readonly status?: ReplicaSetStatus;
};

export type ReplicaSetStatus = {
  readonly replicas: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
};

export type Deployment = Thing & {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: Selector;
    readonly template: PodTemplate;
    readonly strategy?: {
      readonly type?: 'RollingUpdate' | 'Recreate';
      readonly rollingUpdate?: RollingUpdate;
    };
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
    readonly paused?: boolean;
    readonly progressDeadlineSeconds?: number;
  };
  readonly status?: DeploymentStatus;
};

export type RollingUpdate = {
  readonly maxSurge?: IntOrPercent;
  readonly maxUnavailable?: IntOrPercent;
};

export type DeploymentStatus = {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly Condition[];
};

export type StatefulSet = Thing & {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: Selector;
    readonly template: PodTemplate;
    readonly serviceName?: string;
    readonly revisionHistoryLimit?: number;
    readonly podManagementPolicy?: 'OrderedReady' | 'Parallel';
    readonly minReadySeconds?: number;
    readonly ordinals?: { readonly start?: number };
    readonly updateStrategy?: {
      readonly type?: 'RollingUpdate' | 'OnDelete';
      readonly rollingUpdate?: { readonly partition?: number };
    };
    readonly volumeClaimTemplates?: readonly ClaimTemplate[];
    readonly persistentVolumeClaimRetentionPolicy?: {
      readonly whenDeleted?: 'Retain' | 'Delete';
      readonly whenScaled?: 'Retain' | 'Delete';
    };
  };
  readonly status?: StatefulSetStatus;
};

export type ClaimTemplate = {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Labels;
    readonly annotations?: Labels;
  };
  readonly spec?: object;
};

export type StatefulSetStatus = {
  readonly observedGeneration?: number;
  readonly replicas: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly currentReplicas?: number;
  readonly updatedReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
  readonly collisionCount?: number;
};

export type DaemonSet = Thing & {
  readonly spec: {
    readonly selector: Selector;
    readonly template: PodTemplate;
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
    readonly updateStrategy?: {
      readonly type?: 'RollingUpdate' | 'OnDelete';
      readonly rollingUpdate?: RollingUpdate;
    };
  };
  readonly status?: DaemonSetStatus;
};

export type DaemonSetStatus = {
  readonly currentNumberScheduled: number;
  readonly desiredNumberScheduled: number;
  readonly numberMisscheduled: number;
  readonly numberReady: number;
  readonly updatedNumberScheduled?: number;
  readonly numberAvailable?: number;
  readonly numberUnavailable?: number;
  readonly observedGeneration?: number;
};

/** A template as it once was, under the name that pods carry as `controller-revision-hash`. */
export type ControllerRevision = Thing & {
  readonly revision: number;
  readonly data: {
    readonly spec: { readonly template: PodTemplate & { readonly $patch?: string } };
  };
};
