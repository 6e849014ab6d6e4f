import type { Entry } from '#infra/emulator/cluster/ledger.ts';

/**
 * What an event asks of a function. `once-seen`: only if the function had a run of the object before, since what began
 * and ended between two lists was never there for anybody.
 */
export type Asks = 'surely' | 'once-seen' | 'nothing';

export type Rule = {
  readonly resource: string;
  /** Nothing is asked before a roll-out has switched it on. */
  readonly isLate?: boolean;
  asks(entry: Entry, before: Entry['labels'] | undefined): Asks;
};

/** The triggers of test/bench/functions/chaos, said once more from the ledger's side. */
export const rules: Readonly<Record<string, Rule>> = {
  'note-pod': { resource: 'pods', asks: () => 'surely' },
  'note-gold': {
    resource: 'pods',
    asks({ labels }, before) {
      if (labels['tier'] === 'gold') return 'surely';
      return before?.['tier'] === 'gold' ? 'once-seen' : 'nothing';
    },
  },
  // The traffic says by a label which part of it was changed.
  'note-data': {
    resource: 'configmaps',
    asks: ({ type, labels }) =>
      type !== 'MODIFIED' || labels['part'] === 'data' ? 'surely' : 'nothing',
  },
  'note-neighbours': {
    resource: 'pods',
    asks: ({ type }) => (type === 'MODIFIED' ? 'nothing' : 'surely'),
  },
  'note-late': { resource: 'configmaps', isLate: true, asks: () => 'surely' },
  'note-widget': { resource: 'widgets.chaos.example', asks: () => 'surely' },
};

/** Switched on by a roll-out. */
export const late = 'note-late';

/** So long a run goes on after it was written down. */
export function lingersMs(by: string): number {
  return by === 'note-pod' ? 20 : 0;
}

/** Woken for each pod of a namespace that has other labels. */
export const fannedOut = 'note-neighbours';
