import type { Case } from './case.ts';
import { type Checker, isLate, isOwed } from './checker.ts';

export type Verdict = {
  readonly events: number;
  readonly runs: number;
  /** Living objects, and functions whose last run of them read less than what woke it last. */
  readonly lost: number;
  /** Deletions without a run that says so. */
  readonly missingDeletes: number;
  /** Successive runs that read something older than before. */
  readonly reordered: number;
  /** Runs by an event that had woken the same function before: each of an id that the ledger knows. */
  readonly duplicates: number;
  /** Runs by an event of which the ledger does not know. */
  readonly unknownIds: number;
  /** Runs that read what the one before had read. */
  readonly noNews: number;
  readonly strangers: number;
  /** Objects that were born and deleted, or matched and did not match any more, between two lists, and that nobody saw. */
  readonly livedInAGap: number;
  readonly examples: readonly string[];
};

type Open = 'lost' | 'missing' | 'in-a-gap' | 'nothing';

/** What is open now; at the end of a run it must be nothing. */
export function verdictOf(checker: Checker): Verdict {
  const found = { lost: 0, missing: 0, 'in-a-gap': 0, nothing: 0 };
  const examples = [...checker.counts.examples];
  const unseen = new Set<string>();
  for (const known of checker.cases.values()) {
    const open = openOf(known, checker);
    found[open] += 1;
    if (open === 'in-a-gap') unseen.add(known.uid);
    else if (open !== 'nothing') examples.push(said(open, known, checker));
  }
  const { events, runs, reordered, duplicates, unknownIds, noNews, strangers } = checker.counts;
  return {
    ...{ events, runs, lost: found.lost, missingDeletes: found.missing, reordered, duplicates },
    ...{ unknownIds, noNews, strangers, livedInAGap: unseen.size, examples: examples.slice(0, 20) },
  };
}

function openOf(known: Case, checker: Checker): Open {
  const object = checker.objects.get(known.uid);
  if (object === undefined) return 'nothing';
  const isDead = object.endedAt !== undefined;
  const isOpen = isDead ? isOwed(known) : known.wanted > 0 && isLate(known, object, checker);
  if (!isOpen) return 'nothing';
  const life = isDead ? object : { bornAt: known.askedAt, endedAt: known.fadedAt };
  if (known.runs === 0 && checker.isInGap(life)) return 'in-a-gap';
  return isDead ? 'missing' : 'lost';
}

function said(open: Open, known: Case, { objects }: Checker): string {
  const { ended: _, before: __, told: ___, ...rest } = known;
  return `${open}: ${JSON.stringify({ ...rest, object: objects.get(known.uid) })}`;
}

/** Nothing is open any more. */
export function isQuiet({ lost, missingDeletes }: Verdict): boolean {
  return lost === 0 && missingDeletes === 0;
}
