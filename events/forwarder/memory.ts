import type { Kind } from '#shared/domain/kind.ts';

/** What one loop knows beside its cursor. Nothing of it has to survive the process. */
export type Memory = {
  /** A claim was answered. */
  hasClaimed: boolean;
  /** Claims in a row that were not: the database is away. */
  vainClaims: number;
  /** The number of the last one: whoever stood by for long has another one. */
  term: number;
  /** It has given something where the cursor, or what a GET has told, moved by it. */
  watch: { openedAt: number; lines: number; hasGiven: boolean };
  /** Watches in a row that ended at once without a line, whatever was listed between them. */
  silentEnds: number;
  /** Those that ended at once otherwise, and had given nothing. */
  vainEnds: number;
  /** Streaming lists in a row that never came to their end. */
  brokenStreams: number;
  /** Until then lists come by pages: a server of somebody's own may not know of such ends. */
  pagesUntil: number;
  /** The latest version that a GET has told, which may be later than what the watch has come to. */
  ahead: string;
  /** The one that this belongs to. */
  epoch: number;
  /** The version that the server has the kind in by now. */
  served: Kind | undefined;
  /** Functions that were woken for what exists when the loop began, in whichever scope; nobody has asked yet where undefined. */
  knownBefore: ReadonlySet<string> | undefined;
  /** When all that exists is told once more; `undefined` where nobody is owed that. */
  onceMoreAt: number | undefined;
  /** What the cursor has yet to come to. */
  mark: Mark | undefined;
  /** When the next one is asked for. */
  nextMarkAt: number;
  /** Ends in a row with neither a whole list between them nor a watch that gave something. */
  failures: number;
};

/** How far the cluster was at a moment of the database's clock. */
export type Mark = {
  readonly atMs: number;
  /** Versions of another one cannot be compared. */
  readonly epoch: number;
  readonly resourceVersion: string;
};

export function freshMemory(): Memory {
  return {
    hasClaimed: false,
    vainClaims: 0,
    term: 0,
    watch: { openedAt: 0, lines: 0, hasGiven: false },
    silentEnds: 0,
    vainEnds: 0,
    brokenStreams: 0,
    pagesUntil: 0,
    ahead: '',
    epoch: 0,
    served: undefined,
    knownBefore: undefined,
    onceMoreAt: undefined,
    mark: undefined,
    nextMarkAt: 0,
    failures: 0,
  };
}
