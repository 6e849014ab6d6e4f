import type { Condition, Labels, Selector, Thing } from './meta.ts';
import type { PodTemplate } from './pod.ts';

export type Job = Thing & {
  /** The server gives each its own selector, where it states none. */
  readonly spec: JobSpec & { readonly selector: Selector };
  readonly status?: JobStatus;
};

export type JobSpec = {
  readonly parallelism?: number;
  readonly completions?: number;
  readonly completionMode?: 'NonIndexed' | 'Indexed';
  readonly backoffLimit?: number;
  readonly backoffLimitPerIndex?: number;
  readonly maxFailedIndexes?: number;
  readonly successPolicy?: { readonly rules: readonly SuccessRule[] };
  readonly managedBy?: string;
  readonly activeDeadlineSeconds?: number;
  readonly ttlSecondsAfterFinished?: number;
  readonly suspend?: boolean;
  readonly manualSelector?: boolean;
  readonly template: PodTemplate;
  readonly podReplacementPolicy?: 'TerminatingOrFailed' | 'Failed';
  readonly podFailurePolicy?: { readonly rules: readonly FailureRule[] };
};

export type SuccessRule = {
  readonly succeededIndexes?: string;
  readonly succeededCount?: number;
};

export type FailureRule = {
  readonly action: 'FailJob' | 'FailIndex' | 'Ignore' | 'Count';
  readonly onExitCodes?: {
    readonly containerName?: string;
    readonly operator: 'In' | 'NotIn';
    readonly values: readonly number[];
  };
  readonly onPodConditions?: readonly { readonly type: string; readonly status?: string }[];
};

export type JobStatus = {
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly active?: number;
  readonly ready?: number;
  readonly terminating?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  readonly uncountedTerminatedPods?: Uncounted;
  readonly conditions?: readonly Condition[];
};

export type Uncounted = {
  readonly succeeded?: readonly string[];
  readonly failed?: readonly string[];
};

export type CronJob = Thing & {
  readonly spec: {
    readonly schedule: string;
    readonly timeZone?: string;
    readonly suspend?: boolean;
    readonly concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace';
    readonly startingDeadlineSeconds?: number;
    readonly successfulJobsHistoryLimit?: number;
    readonly failedJobsHistoryLimit?: number;
    readonly jobTemplate: {
      readonly metadata?: { readonly labels?: Labels; readonly annotations?: Labels };
      readonly spec: JobSpec;
    };
  };
  readonly status?: CronJobStatus;
};

export type CronJobStatus = {
  readonly active?: readonly JobReference[];
  readonly lastScheduleTime?: string;
  readonly lastSuccessfulTime?: string;
};

export type JobReference = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
};

export function finishOf({ status }: Job): Condition | undefined {
  return status?.conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
}
