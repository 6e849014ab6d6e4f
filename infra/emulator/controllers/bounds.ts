import type { IntOrPercent } from './shapes/meta.ts';

/** `3`, or `25%` of the total. */
export function resolved(
  stated: IntOrPercent,
  total: number,
  round: (value: number) => number,
): number {
  if (typeof stated === 'number') return stated;
  const [, percent] = /^(\d+)%$/.exec(stated) ?? [];
  return percent === undefined ? Number(stated) : round((Number(percent) * total) / 100);
}
