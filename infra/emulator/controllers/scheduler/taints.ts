import type { Toleration } from '../shapes/pod.ts';
import type { Taint } from '../shapes/surroundings.ts';

export function tolerates({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  // A toleration without a key is one of everything.
  if (key && key !== taint.key) return false;
  return operator === 'Exists' || (value ?? '') === (taint.value ?? '');
}

/** The first taint of one of these effects that nothing of the pod stands. */
export function untolerated(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly string[],
): Taint | undefined {
  return taints?.find(
    (taint) =>
      effects.includes(taint.effect) &&
      !(tolerations ?? []).some((toleration) => tolerates(toleration, taint)),
  );
}
