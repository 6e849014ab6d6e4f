import type { SetAffected } from '#events/kinds.ts';
import type { Payload } from '#events/messages.ts';
import { type Broken, type Sentence, sentences } from '../sentence.ts';

type Debt = { readonly at: number; readonly sentence: Sentence; readonly why: string };

/** What was promised, and what was kept. Commits and starts of runs are counted in one order. */
export type Ledger = {
  count: number;
  broken: Broken | undefined;
  /** The first counts: what comes after it may be its consequence. */
  break(sentence: Sentence, how: string): void;
  /** From now on a run of this is owed. */
  owe(run: string, sentence: Sentence, why: string): void;
  ran(run: string): void;
  /** The count at which the last run of this began; 0 where there was none. */
  lastRun(run: string): number;
  unpaid(): Broken | undefined;
};

export function openLedger(): Ledger {
  const debts = new Map<string, Debt & { readonly run: string }>();
  const runs = new Map<string, number>();
  const ledger: Ledger = {
    count: 0,
    broken: undefined,
    break(sentence, how) {
      ledger.broken ??= { sentence, how };
    },
    owe(run, sentence, why) {
      debts.set(`${sentence} ${run}`, { run, at: ledger.count, sentence, why });
    },
    ran(run) {
      ledger.count += 1;
      runs.set(run, ledger.count);
    },
    lastRun: (run) => runs.get(run) ?? 0,
    unpaid() {
      const open = [...debts.values()].find(({ run, at }) => (runs.get(run) ?? 0) <= at);
      return open && { sentence: open.sentence, how: `no run of ${open.run} after ${open.why}` };
    },
  };
  return ledger;
}

/** By what runs are told apart. */
export function runOf(name: string, payload: Payload): string {
  switch (payload.kind) {
    case 'object':
      return objectRun(name, payload.uid, payload.deleted);
    case 'set':
      return setRun(name, payload);
    case 'period':
      return `${name} for its period`;
  }
}

function setRun(name: string, { namespace, after, again }: SetAffected): string {
  const whom = again === undefined ? 'all' : `newcomers since ${again.since}`;
  return `${name} for ${whom} in ${namespace} after ${after || 'none'}`;
}

export function objectRun(name: string, uid: string, isDeleted: boolean): string {
  return `${name} for ${isDeleted ? 'the deletion of ' : ''}${uid}`;
}

export function describeBroken({ sentence, how }: Broken): string {
  return `${sentences[sentence]}\n  ${how}`;
}
