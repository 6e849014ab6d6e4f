import type { JobSpec } from '../shapes/batch.ts';
import { parseIndexes } from './indexes.ts';

/** The first rule that what has succeeded is enough for, in the real controller's words. */
export function metSuccess(
  { successPolicy }: Pick<JobSpec, 'successPolicy'>,
  succeeded: ReadonlySet<number>,
): string | undefined {
  const at = (successPolicy?.rules ?? []).findIndex((rule) => {
    const { succeededIndexes, succeededCount = Number.POSITIVE_INFINITY } = rule;
    if (succeededIndexes === undefined) return succeeded.size >= succeededCount;
    const wanted = parseIndexes(succeededIndexes);
    const met = [...wanted].filter((index) => succeeded.has(index)).length;
    return met === wanted.size || met >= succeededCount;
  });
  return at === -1 || succeeded.size === 0 ? undefined : `Matched rules at index ${at}`;
}
