import type { FailureRule, Job, JobSpec } from '../shapes/batch.ts';
import { isLeaving } from '../shapes/meta.ts';
import type { Pod } from '../shapes/pod.ts';

export type FailureVerdict =
  | { readonly kind: 'count' }
  | { readonly kind: 'ignore' }
  | { readonly kind: 'fail-index' }
  | { readonly kind: 'fail-job'; readonly why: string };

const count: FailureVerdict = { kind: 'count' };

/** One that is on its way out has failed already, where nobody waits to see how it ends. */
export function hasFailed({ spec }: Job, pod: Pod): boolean {
  if (pod.status?.phase === 'Failed') return true;
  return isLeaving(pod) && pod.status?.phase !== 'Succeeded' && !isAwaited(spec);
}

/** With a policy for failures, a pod that ends holds its place until it is known how. */
export function isAwaited({ podReplacementPolicy, podFailurePolicy }: JobSpec): boolean {
  return podReplacementPolicy === 'Failed' || podFailurePolicy !== undefined;
}

/** The first rule that is about such a failure decides what it means. */
export function judgeFailure({ spec }: Job, pod: Pod): FailureVerdict {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const at = rules.findIndex((rule) => isAbout(rule, pod));
  const rule = rules[at];
  if (rule?.action === 'Ignore') return { kind: 'ignore' };
  if (rule?.action === 'FailIndex') return { kind: 'fail-index' };
  if (rule?.action !== 'FailJob') return count;
  return { kind: 'fail-job', why: whyOf(rule, { pod, at }) };
}

function isAbout({ onExitCodes, onPodConditions }: FailureRule, pod: Pod): boolean {
  if (onExitCodes !== undefined) return failedContainer(onExitCodes, pod) !== undefined;
  return (onPodConditions ?? []).some(({ type, status = 'True' }) =>
    pod.status?.conditions?.some((each) => each.type === type && each.status === status),
  );
}

type ExitCodes = NonNullable<FailureRule['onExitCodes']>;

function failedContainer({ containerName, operator, values }: ExitCodes, { status }: Pod) {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all
    .filter(({ name }) => containerName === undefined || containerName === name)
    .map(({ name, state }) => ({ name, exitCode: state.terminated?.exitCode ?? 0 }))
    .find(({ exitCode }) => exitCode !== 0 && values.includes(exitCode) === (operator === 'In'));
}

type Found = { readonly pod: Pod; readonly at: number };

function whyOf({ onExitCodes }: FailureRule, { pod, at }: Found): string {
  const place = `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`;
  const failed = onExitCodes && failedContainer(onExitCodes, pod);
  if (failed === undefined)
    return `Pod ${place} has a condition matching FailJob rule at index ${at}`;
  const { name, exitCode } = failed;
  return `Container ${name} for pod ${place} failed with exit code ${exitCode} matching FailJob rule at index ${at}`;
}
