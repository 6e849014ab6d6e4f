import type { Condition } from './shapes/meta.ts';
import type { Pod } from './shapes/pod.ts';

/** With this one in the place of its type's. The time of transition changes only where the status does. */
export function withCondition(
  conditions: readonly Condition[] | undefined,
  next: Condition,
  now: string,
): readonly Condition[] {
  const before = conditions?.find(({ type }) => type === next.type);
  const since = before?.status === next.status ? before.lastTransitionTime : undefined;
  const dated = { ...next, lastTransitionTime: since ?? now };
  if (before === undefined) return [...(conditions ?? []), dated];
  return (conditions ?? []).map((each) => (each.type === next.type ? dated : each));
}

export function withoutCondition(
  conditions: readonly Condition[] | undefined,
  type: string,
): readonly Condition[] {
  return (conditions ?? []).filter((each) => each.type !== type);
}

/** Why a pod goes, for those who ask it. */
export function disrupted(
  { metadata, status }: Pod,
  why: Pick<Condition, 'reason' | 'message'>,
  now: Date | number,
): readonly Condition[] {
  const { generation } = metadata;
  const next: Condition = {
    type: 'DisruptionTarget',
    status: 'True',
    ...why,
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  return withCondition(status?.conditions, next, timeText(now));
}

/** As Go writes a time: whole seconds. */
export function timeText(at: Date | number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
