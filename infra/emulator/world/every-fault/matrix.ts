import type { StatedFault } from '../faults/apply-fault.ts';
import type { Case, Scenario } from './scenario.ts';

/** What is known of a scenario once it was played without faults. */
export type Facts = {
  readonly steps: number;
  /** How many writes the functions made in each step; the first is of the time before all steps. */
  readonly writes: readonly number[];
  /** Kinds that are watched. */
  readonly kinds: readonly string[];
  /** What was there before each step, and at the end, and can be made anew. */
  readonly objects: readonly (readonly string[])[];
};

/** Every fault alone at every place, with and without haste, and the pairs that hide more than both of them. */
export function casesFor(facts: Facts, wanted: Scenario['faults']): readonly Case[] {
  const places = Array.from({ length: facts.steps + 1 }, (_, place) => place);
  const all = [
    { faults: [], place: 0, isHurried: false },
    { faults: [], place: 0, isHurried: true },
    // What lasts needs to begin only once.
    ...calm(0, lasting),
    ...places.flatMap((place) => casesAt(place, facts)),
  ];
  const isWanted = ({ name }: StatedFault) => wanted === undefined || wanted.includes(name);
  return all.filter(({ faults }) => faults.every(isWanted));
}

function casesAt(place: number, facts: Facts): readonly Case[] {
  const isLast = place === facts.steps;
  const remade = (facts.objects[place] ?? []).slice(0, most).map(remake);
  const quiet = [...unseen(facts), ...remade.map(only)];
  if (isLast) return calm(place, [...quiet, ...remade.flatMap(withRemake)]);

  // A write that a fault is to hit has to be made in this step.
  const hits = Array.from({ length: Math.min(facts.writes[place + 1] ?? 0, most) }, (_, at) => at);
  const busy = [...handled, ...mirrors(facts), ...hits.flatMap(hit).map(only)];
  return [
    ...calm(place, [...quiet, ...busy, ...remade.flatMap(withRemake), ...pairs]),
    ...(place + 1 < facts.steps ? hurried(place, busy) : []),
  ];
}

type Group = readonly StatedFault[];

function calm(place: number, groups: readonly Group[]): readonly Case[] {
  return groups.map((faults) => ({ faults, place, isHurried: false }));
}

function hurried(place: number, groups: readonly Group[]): readonly Case[] {
  return groups.map((faults) => ({ faults, place, isHurried: true }));
}

/** Of objects and of writes, at each place. */
const most = 3;

function only(fault: StatedFault): Group {
  return [fault];
}

const lasting: readonly Group[] = [
  [{ name: 'skewClock', ms: 30_000 }],
  [{ name: 'skewClock', ms: -30_000 }],
  [{ name: 'compact' }],
];

/** What a function should not notice at all. */
function unseen({ kinds }: Facts): readonly Group[] {
  const alone: readonly StatedFault[] = [
    ...kinds.map((kind) => ({ name: 'gone', kind }) as const),
    { name: 'dropWatches' },
    { name: 'halfOpen' },
    { name: 'restartAll' },
  ];
  return [...alone.map(only), [{ name: 'halfOpen' }, { name: 'compact' }]];
}

function mirrors({ kinds }: Facts): readonly Group[] {
  return kinds.length < 2 ? [] : kinds.map((kind) => [{ name: 'staleMirror', kind }]);
}

const handled: readonly Group[] = [
  [{ name: 'duplicate' }],
  [{ name: 'duplicate', atOnce: true }],
  [{ name: 'reorderGroups' }],
  [{ name: 'coldStart', ms: 45_000 }],
  [{ name: 'killAfterHandler' }],
  [{ name: 'staleMirror' }],
  [{ name: 'conflict' }],
  [{ name: 'conflict', times: 3 }],
  [{ name: 'fail', verb: 'get', code: 500 }],
  [{ name: 'fail', verb: 'list', code: 503 }],
];

/** What happens to the write of this number. */
function hit(after: number): readonly StatedFault[] {
  return [
    { name: 'fail', code: 500, after },
    { name: 'fail', code: 'lost', after },
    { name: 'slow', ms: 2_000, after },
  ];
}

function remake(ref: string): StatedFault {
  return { name: 'recreate', ref };
}

/** What the deletion's run leaves undone, it does when the successor is there. */
function withRemake(fault: StatedFault): readonly Group[] {
  return [
    [{ name: 'fail', code: 500 }, fault],
    [{ name: 'slow', ms: 2_000 }, fault],
    [{ name: 'killAfterHandler' }, fault],
  ];
}

const pairs: readonly Group[] = [
  [{ name: 'staleMirror' }, { name: 'restartAll' }],
  [{ name: 'conflict' }, { name: 'killAfterHandler' }],
  [{ name: 'reorderGroups' }, { name: 'slow', ms: 2_000 }],
  [{ name: 'duplicate' }, { name: 'fail', code: 500 }],
];
