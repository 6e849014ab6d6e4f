import type { Namespace } from '../../namespace.ts';
import type { Looked } from './look-at-pods.ts';
import type { Placed } from './look-over.ts';

/** What all pods together look like. */
export type Survey = {
  add(placed: Placed): void;
  /** Of each measure, its values; none are as much a word as some. */
  measures(): Readonly<Record<string, readonly Counted[]>>;
  /** Of each namespace the pods that lack something and that nobody would make anew. */
  stuck(): readonly Stuck[];
};

type Labels = Readonly<Record<string, string>>;
type Counted = { readonly labels: Labels; readonly value: number };

/** As many as may be are counted, but only the first are named. */
export type Stuck = {
  readonly namespace: Namespace;
  readonly count: number;
  readonly names: readonly string[];
};

const namedAtMost = 5;

export function openSurvey(): Survey {
  const counters = { missed: counter(), stale: counter(), odd: counter(), skipped: counter() };
  const stuck = new Map<string, Stuck>();
  return {
    add(placed) {
      const { namespace } = placed;
      const { name } = namespace;
      if (placed.kind === 'unjudged') return counters.skipped.add({ reason: placed.kind });
      const { looked } = placed;
      for (const [of, labels] of countedIn(looked, name)) counters[of].add(labels);
      if (isStuck(looked)) stuck.set(name, withName(stuck.get(name), namespace, looked.pod.name));
    },
    measures: () =>
      Object.fromEntries(
        Object.entries(counters).map(([of, found]) => [`pod_bootstrap_${of}`, found.values()]),
      ),
    stuck: () => [...stuck.values()],
  };
}

type Of = 'missed' | 'stale' | 'odd' | 'skipped';

/** Our own pods and the mirrors of static ones nobody means to change. */
function isBeside({ excuse }: Looked): boolean {
  return excuse === 'own' || excuse === 'mirror';
}

function countedIn(looked: Looked, namespace: string): readonly (readonly [Of, Labels])[] {
  const { judgement } = looked;
  if (isBeside(looked)) return [];
  const ofReasons = judgement.reasons.map((of): readonly [Of, Labels] =>
    of === 'missed' ? [of, { namespace }] : ['stale', { namespace, of }],
  );
  const ofSkipped = whyNot(looked).map((reason) => ['skipped', { reason }] as const);
  return [
    ...ofReasons,
    ...ofSkipped,
    ...(judgement.isOdd ? [['odd', { namespace }] as const] : []),
  ];
}

/** Why a pod that lacks something is not restarted. */
function whyNot({ judgement, reason, excuse }: Looked): readonly string[] {
  if (judgement.reasons.length === 0) return [];
  if (reason === undefined) return ['not-wanted'];
  return excuse === undefined ? [] : [excuse];
}

/** Of one pod, in the measures' words: what nobody wants restarts for comes before what keeps it from them. */
export function heldBy(looked: Looked): string | undefined {
  if (isBeside(looked)) return looked.excuse;
  const { judgement, excuse } = looked;
  if (judgement.reasons.length > 0) return whyNot(looked)[0];
  return judgement.isOdd ? 'odd' : excuse;
}

function isStuck({ reason, excuse }: Looked): boolean {
  return reason !== undefined && (excuse === 'orphan' || excuse === 'owner-kind');
}

function withName(known: Stuck | undefined, namespace: Namespace, name: string): Stuck {
  const { count, names } = known ?? { count: 0, names: [] };
  return { namespace, count: count + 1, names: count < namedAtMost ? [...names, name] : names };
}

function counter() {
  const found = new Map<string, Counted>();
  return {
    add(labels: Labels) {
      const key = JSON.stringify(labels);
      found.set(key, { labels, value: (found.get(key)?.value ?? 0) + 1 });
    },
    values: () => [...found.values()],
  };
}

export function stuckNote({ count, names }: Stuck): string {
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  const lack = count === 1 ? 'pod lacks' : 'pods lack';
  return `${count} ${lack} what pods are given when they are made, and would not be made anew if evicted: ${names.join(', ')}${more}. Whoever made them may make them again.`;
}
