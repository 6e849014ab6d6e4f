import type { Entry } from '#infra/emulator/cluster/ledger.ts';
import { type Case, caseOf, take } from './case.ts';
import { isKnown } from './event-ids.ts';
import { labelsText } from './labels.ts';
import type { Overlap } from './overlaps.ts';
import { fannedOut, type Rule, rules as usualRules } from './rules.ts';
import type { Run } from './runs.ts';

/** One object of the cluster, as the ledger has it. */
export type Known = {
  readonly resource: string;
  readonly namespace: string;
  readonly bornAt: number;
  version: number;
  /** All that it had, and its labels in each: an event's id names one of them, a run reads one. */
  readonly versions: Map<number, string>;
  labels: Entry['labels'];
  /** When it was deleted. */
  endedAt?: number;
};

export type Life = { readonly bornAt: number; readonly endedAt?: number | undefined };

/** Holds the runs to the ledger, bit by bit: its memory follows the number of uids and not of events. */
export type Checker = {
  /** In the ledger's order. */
  entries(entries: readonly Entry[]): void;
  /** In the order in which they were written down, never before the entries that they may have read. */
  runs(runs: readonly Run[]): void;
  /** From now on it is asked, and for all that exists (promise 9). */
  switchOn(functionName: string): void;
  /** Who was born and deleted between these moments (the ledger's clock) may never have been seen by anybody. */
  gap(from: number, to: number): void;
  /** Of those who were deleted before that moment, and whose deletion everybody was told, only the uid stays. */
  forget(before: number): void;
  readonly objects: ReadonlyMap<string, Known>;
  readonly cases: ReadonlyMap<string, Case>;
  readonly counts: Counts;
  /** Runs of one case at the same time; whether they might be is known to the database (`lapses.ts`). */
  readonly overlaps: readonly Overlap[];
  isInGap(life: Life): boolean;
  /** The version of the namespace's last labels. */
  labelsOf(namespace: string): number;
};

export type Counts = {
  events: number;
  runs: number;
  duplicates: number;
  /** Runs that an event woke of which the ledger does not know. */
  unknownIds: number;
  noNews: number;
  /** Runs that read what no entry of the ledger says. */
  strangers: number;
  reordered: number;
  readonly examples: string[];
};

export function openChecker(rules: Readonly<Record<string, Rule>> = usualRules): Checker {
  const objects = new Map<string, Known>();
  const cases = new Map<string, Case>();
  const spaces = new Map<string, number>();
  const gaps: (readonly [number, number])[] = [];
  const over = new Set<string>();
  const overlaps: Overlap[] = [];
  const off = new Set(Object.keys(rules).filter((by) => rules[by]?.isLate === true));
  const counts: Counts = {
    ...{ events: 0, runs: 0, duplicates: 0, unknownIds: 0, noNews: 0 },
    ...{ strangers: 0, reordered: 0, examples: [] },
  };
  const of = (by: string, uid: string): Case => {
    const key = `${by} ${uid}`;
    const found = cases.get(key) ?? caseOf(by, uid);
    cases.set(key, found);
    return found;
  };
  const asked = ({ resource }: Pick<Entry, 'resource'>) =>
    Object.entries(rules).filter(([by, rule]) => rule.resource === resource && !off.has(by));
  return {
    objects,
    cases,
    counts,
    overlaps,
    entries(entries) {
      for (const entry of entries) {
        counts.events += 1;
        if (entry.resource === 'namespaces') spaces.set(entry.name, entry.version);
        const before = objects.get(entry.uid);
        for (const [by, rule] of asked(entry)) ask(of(by, entry.uid), { entry, before, rule });
        objects.set(entry.uid, after(entry, before));
      }
    },
    runs(runs) {
      for (const run of runs) {
        if (over.has(run.uid)) judgeLate(run, counts);
        else overlaps.push(...judge(run, of(run.function, run.uid), { objects, counts }));
      }
    },
    forget(before) {
      const ended = [...objects].filter(
        ([, { endedAt = Number.POSITIVE_INFINITY }]) => endedAt < before,
      );
      for (const [uid, object] of ended) {
        const keys = asked(object).map(([by]) => `${by} ${uid}`);
        if (keys.some((key) => isOwed(cases.get(key)))) continue;
        for (const key of keys) cases.delete(key);
        objects.delete(uid);
        over.add(uid);
      }
    },
    switchOn(by) {
      if (!off.delete(by)) return;
      for (const [uid, { resource, version, bornAt, endedAt }] of objects) {
        if (resource !== rules[by]?.resource || endedAt !== undefined) continue;
        Object.assign(of(by, uid), { wanted: version, askedAt: bornAt });
      }
    },
    gap: (from, to) => void gaps.push([from, to]),
    isInGap: ({ bornAt, endedAt = Number.POSITIVE_INFINITY }: Life) =>
      gaps.some(([from, to]) => from <= bornAt && endedAt <= to),
    labelsOf: (namespace) => spaces.get(namespace) ?? 0,
  };
}

type Asking = { readonly entry: Entry; readonly before: Known | undefined; readonly rule: Rule };

function ask(known: Case, { entry, before, rule }: Asking): void {
  const asks = rule.asks(entry, before?.labels);
  if (asks === 'nothing') return;
  if (asks === 'once-seen' && known.runs === 0) {
    known.fadedAt = entry.at;
    return;
  }
  if (known.wanted === 0) known.askedAt = entry.at;
  known.wanted = entry.version;
  known.wantsDeletion = entry.type === 'DELETED';
}

function after({ type, version, labels, at, ...entry }: Entry, before: Known | undefined): Known {
  const { resource, namespace } = entry;
  const versions = (before?.versions ?? new Map()).set(version, labelsText(labels));
  const known = { resource, namespace, bornAt: before?.bornAt ?? at, version, versions, labels };
  return type === 'DELETED' ? { ...known, endedAt: at } : known;
}

type Books = { readonly objects: ReadonlyMap<string, Known>; readonly counts: Counts };

function judge(run: Run, known: Case, { objects, counts }: Books): readonly Overlap[] {
  const object = objects.get(run.uid);
  const isEnded = object?.endedAt !== undefined;
  const { isDuplicate, isNoNews, wentBack, overlaps } = take(known, run, isEnded);
  const isUnknown = !isKnown(run, objects);
  counts.runs += 1;
  counts.duplicates += Number(isDuplicate);
  counts.unknownIds += Number(isUnknown);
  counts.noNews += Number(isNoNews);
  const isStrange = object === undefined || !isSaid(run, object);
  counts.strangers += Number(isStrange);
  counts.reordered += Number(wentBack);
  if (isStrange) note(counts, `it read what the ledger does not say: ${JSON.stringify(run)}`);
  if (isUnknown) note(counts, `by an event that never was: ${JSON.stringify(run)}`);
  if (wentBack) note(counts, `went back: ${JSON.stringify({ run, known })}`);
  return overlaps;
}

/**
 * What it read, the ledger says as well: an end too, which is in it before anybody can have seen it. Of what it was woken
 * for it finds something, since a tombstone stays for an hour at least.
 */
function isSaid({ state, version, labels }: Run, { versions, endedAt }: Known): boolean {
  const had = versions.get(Number(version));
  const isThere = state === 'living' || (state === 'tombstone' && endedAt !== undefined);
  return isThere && had !== undefined && (labels === undefined || labels === had);
}

/** Told again of what has ended, it can have read nothing else. */
function judgeLate({ state }: Run, counts: Counts): void {
  counts.runs += 1;
  counts.duplicates += 1;
  counts.reordered += Number(state === 'living');
}

/** A deletion that its function has not been told. */
export function isOwed(known: Case | undefined): boolean {
  return known?.wantsDeletion === true && !known.hadDeletion;
}

const mostExamples = 20;

export function note({ examples }: Counts, text: string): void {
  if (examples.length < mostExamples) examples.push(text);
}

/** A pod of a namespace that has other labels is woken by that as well. */
export function isLate(known: Case, object: Known, { labelsOf }: Checker): boolean {
  if (known.last.read < known.wanted) return true;
  return known.function === fannedOut && known.last.around < labelsOf(object.namespace);
}
