import { join } from 'node:path';
import { customKinds, idOf } from '../served-kinds.ts';
import { serveCustomKind } from '../store/custom-kinds.ts';
import type { Store } from '../store/store.ts';
import type { Stored } from '../store/stored.ts';
import { type Journal, openJournal } from './journal.ts';
import { headLine, lineOfChange, putLine } from './lines.ts';
import { readState, type State } from './state-log.ts';

export type Kept = {
  /** There was a state, and it is there again. */
  readonly isResumed: boolean;
  problem(): string | undefined;
  close(): Promise<void>;
};

type Options = {
  readonly directory: string;
  readonly log: (line: string) => void;
  /** A file smaller than this is never rewritten. */
  readonly compactBytes?: number;
};

/** What the store holds stays in the folder, from now on and from before. */
export async function keepIn(store: Store, options: Options): Promise<Kept> {
  const path = join(options.directory, 'state.log');
  const state = readState(path);
  const strangers = state === undefined ? new Map() : resumed(store, state);
  if (state !== undefined && state.droppedBytes > 0) {
    options.log(
      `the last line of ${path} was half written, and is dropped (${state.droppedBytes} bytes)`,
    );
  }
  const onProblem = (why: string) => options.log(`the state cannot be written to ${path}: ${why}`);
  const journal = await openJournal({ path, size: state?.wholeBytes ?? 0, onProblem });
  if (state === undefined) journal.append(headLine({ revision: store.revision() }));
  const compacting = compactingOf(store, journal, {
    strangers,
    least: options.compactBytes ?? 16 * 1024 * 1024,
  });
  store.onCommit((of, change) => {
    journal.append(lineOfChange(idOf(of.kind), change));
    compacting.look();
  });
  return {
    isResumed: state !== undefined,
    problem: journal.problem,
    async close() {
      await compacting.done();
      await journal.close();
    },
  };
}

type Objects = ReadonlyMap<string, Stored>;

/** What is of no kind that is known (any more) is kept for whoever knows it again. */
function resumed(store: Store, { revision, objects }: State): ReadonlyMap<string, Objects> {
  const sorted = new Map([...objects].map(([id, all]) => [id, [...all.values()]] as const));
  for (const definition of sorted.get(idOf(customKinds)) ?? []) serveCustomKind(store, definition);
  store.restore({ revision, objects: sorted });
  return new Map([...objects].filter(([id]) => store.find(id) === undefined));
}

type Compacting = { readonly strangers: ReadonlyMap<string, Objects>; readonly least: number };

/** Rewritten when it has grown to four times what it was after the last time. */
function compactingOf(store: Store, journal: Journal, { strangers, least }: Compacting) {
  let base = Math.max(least / 4, journal.bytes() / 4);
  let running: Promise<void> | undefined;
  return {
    look() {
      if (running !== undefined || journal.bytes() < base * 4) return;
      running = journal
        .rewrite(() => allLines(store, strangers))
        .then(() => {
          base = Math.max(least / 4, journal.bytes());
        })
        .catch(() => {
          // The old file goes on; it is tried again when it has grown further.
          base *= 2;
        })
        .finally(() => {
          running = undefined;
        });
    },
    done: async () => running,
  };
}

function allLines(store: Store, strangers: ReadonlyMap<string, Objects>): readonly string[] {
  const { revision, objects } = store.snapshot();
  const all = [
    ...objects,
    ...[...strangers].map(([id, each]) => [id, [...each.values()]] as const),
  ];
  return [
    headLine({ revision }),
    ...all.flatMap(([id, each]) => each.map((stored) => putLine(id, stored))),
  ];
}
