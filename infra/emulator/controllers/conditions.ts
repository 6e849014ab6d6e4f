import type { Condition } from './shapes/meta.ts';

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

/** As Go writes a time: whole seconds. */
export function timeText(at: Date | number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
