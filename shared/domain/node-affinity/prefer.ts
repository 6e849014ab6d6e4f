import { hasRoomFor } from '../annotation-room.ts';
import { appendAt, setAt } from '../json-patch.ts';
import { allow, type Change, patch, type Verdict } from '../verdict.ts';
import { fixesPool, isOptedOut, type NewPod, type PlacedSpec } from './pod.ts';
import type { NodeAffinitySettings } from './settings.ts';

export type Facts = {
  /** The request's: a pod that a controller makes has none of its own yet. */
  readonly namespace: string;
  readonly poolHasNodes: boolean;
};

/** A preference and no demand: a managed pod is never kept from running. */
export function preferPool(pod: NewPod, settings: NodeAffinitySettings, facts: Facts): Verdict {
  if (isLeftAlone(pod, settings, facts)) return allow();
  return patch(facts.poolHasNodes ? withPreference(pod, settings) : withMark(pod, settings));
}

function isLeftAlone(
  { metadata, spec }: NewPod,
  { excludedNamespaces, optOutAnnotation, labelKey }: NodeAffinitySettings,
  { namespace }: Facts,
): boolean {
  return (
    excludedNamespaces.includes(namespace) ||
    spec.nodeName !== '' ||
    fixesPool(spec, labelKey) ||
    isOptedOut(metadata?.annotations, optOutAnnotation)
  );
}

const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

/** The last in the list: the scheduler adds up the weights, so that others outvote it by theirs. */
function withPreference(pod: NewPod, settings: NodeAffinitySettings): readonly Change[] {
  const { weight, labelKey, pools } = settings;
  const terms = pod.spec.affinity?.nodeAffinity?.[preferred] ?? [];
  if (terms.some((term) => isOurs(term, settings))) return [];

  const term = {
    weight,
    preference: { matchExpressions: [{ key: labelKey, operator: 'In', values: [...pools] }] },
  };
  const why = `a managed pod prefers the node pool ${pools.join(', ')}`;
  return appendAt(pod, ['spec', 'affinity', 'nodeAffinity', preferred], term, why);
}

type Preference = NonNullable<
  NonNullable<NonNullable<PlacedSpec['affinity']>['nodeAffinity']>[typeof preferred]
>[number];

/** By its meaning: the order of the pools has none. */
function isOurs({ weight, preference }: Preference, settings: NodeAffinitySettings): boolean {
  const { matchExpressions, matchFields } = preference;
  const [expression, ...more] = matchExpressions;
  if (expression === undefined || more.length + matchFields.length > 0) return false;
  const { key, operator, values } = expression;
  return (
    weight === settings.weight &&
    key === settings.labelKey &&
    operator === 'In' &&
    isSameSet(values, settings.pools)
  );
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.every((item) => b.includes(item)) && b.every((item) => a.includes(item));
}

/** Upstream marks pods while the pool has no node; an annotation holds one name, so it is the first pool's. */
function withMark(pod: NewPod, settings: NodeAffinitySettings): readonly Change[] {
  const { fallbackAnnotation, labelKey, pools } = settings;
  const [pool] = pools;
  if (!fallbackAnnotation || pool === undefined) return [];
  if (!hasRoomFor(pod.metadata?.annotations ?? {}, { [labelKey]: pool })) return [];
  const why = `the node pool ${pools.join(', ')} has no node`;
  return setAt(pod, ['metadata', 'annotations', labelKey], pool, why);
}
