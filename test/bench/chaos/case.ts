import { isOverlap, type Overlap } from './overlaps.ts';
import { lingersMs } from './rules.ts';
import type { Run } from './runs.ts';

/** What is known of one function and one object. */
export type Case = {
  readonly function: string;
  readonly uid: string;
  /** The version of the last event that asks for a run. */
  wanted: number;
  wantsDeletion: boolean;
  /** When it was first asked for, and when that was over without anybody having seen it. */
  askedAt: number;
  fadedAt?: number;
  runs: number;
  /** Of the events that it was told of. */
  readonly told: Set<string>;
  hadDeletion: boolean;
  /** Of the run that began last. */
  last: Reading & { readonly beganAt: number };
  /** The last few that have ended, and the most that those before them read. */
  ended: readonly (Ended & Spell)[];
  before: Ended;
};

type Reading = { readonly read: number; readonly around: number };
type Ended = Reading & { readonly at: number };
type Spell = Overlap['runs'][number];

const nothing = { read: 0, around: 0 };

export function caseOf(by: string, uid: string): Case {
  return {
    function: by,
    uid,
    ...{ wanted: 0, wantsDeletion: false, askedAt: 0, runs: 0, hadDeletion: false },
    told: new Set(),
    ...{ last: { ...nothing, beganAt: 0 }, ended: [], before: { ...nothing, at: 0 } },
  };
}

const gone = Number.MAX_SAFE_INTEGER;

/** Nothing comes after the end of a uid; of one that lives, whoever finds none has read nothing of what happened. */
export function readBy({ state, version }: Run, isEnded: boolean): number {
  if (state === 'living') return Number(version);
  return isEnded ? gone : 0;
}

export type Judged = {
  /** It was told of the same event before. */
  readonly isDuplicate: boolean;
  /** It read what the one before had read. */
  readonly isNoNews: boolean;
  /** It read something older than a run that had ended before it began. */
  readonly wentBack: boolean;
  /** With those that had not ended when it began, or began before it had ended. */
  readonly overlaps: readonly Overlap[];
};

/** Two runs may overlap where a receipt expired, which is judged by `overlaps.ts`; successive are those of which one ended before the other began. */
export function take(known: Case, run: Run, isEnded: boolean): Judged {
  const [read, around] = [readBy(run, isEnded), Number(run.around)];
  const earlier = [known.before, ...known.ended].filter(({ at }) => at < run.beganAt);
  const wentBack = earlier.some((each) => each.read > read || each.around > around);
  const spell = spellOf(run);
  const overlaps = known.ended
    .filter((each) => isOverlap(each, spell))
    .map(({ eventId, beganAt, endedAt }) => ({
      ...{ function: run.function, uid: run.uid },
      runs: [{ eventId, beganAt, endedAt }, spell] as const,
    }));
  const { last, runs } = known;
  const isDuplicate = known.told.has(run.eventId);
  const isNoNews = runs > 0 && read === last.read && around === last.around;

  known.told.add(run.eventId);
  known.runs += 1;
  known.hadDeletion ||= run.isDeletion;
  if (run.beganAt >= last.beganAt) known.last = { read, around, beganAt: run.beganAt };
  remember(known, { read, around, at: run.endedAt, ...spell });
  const isBack = wentBack || (run.isDeletion && read !== gone);
  return { isDuplicate, isNoNews, wentBack: isBack, overlaps };
}

/** Until it could be settled. */
function spellOf({ function: by, eventId, beganAt, endedAt }: Run): Spell {
  return { eventId, beganAt, endedAt: endedAt + lingersMs(by) };
}

const remembered = 4;

function remember(known: Case, next: Ended & Spell): void {
  const all = [...known.ended, next];
  const [oldest] = all;
  known.ended = all.slice(-remembered);
  if (all.length <= remembered || oldest === undefined) return;
  const { before } = known;
  known.before = {
    read: Math.max(before.read, oldest.read),
    around: Math.max(before.around, oldest.around),
    at: Math.max(before.at, oldest.at),
  };
}
