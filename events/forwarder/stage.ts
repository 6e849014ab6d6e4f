import type { Cursor } from '#shared/domain/mirrored.ts';
import type { Watching } from '#shared/domain/watched.ts';

/** What a writer does next. */
export type Stage =
  /** Whether the server's history is still the one that the cursor belongs to. */
  | { readonly kind: 'check'; readonly cursor: Cursor }
  | { readonly kind: 'list'; readonly cursor: Cursor; readonly why: string }
  /** Functions whose trigger is new are woken for what exists. */
  | { readonly kind: 'wake-existing'; readonly cursor: Cursor; readonly watching?: Watching }
  /** With a watch that a streaming list has left open, or a new one. */
  | { readonly kind: 'watch'; readonly cursor: Cursor; readonly watching?: Watching }
  /** Nobody serves the kind: is it gone, or only not to be reached? */
  | { readonly kind: 'absent'; readonly cursor: Cursor; readonly why: string }
  | {
      readonly kind: 'wait';
      readonly why: string;
      /** Exactly so long; else by the ends in a row, and no less than the server asked for. */
      readonly ms?: number | undefined;
      readonly leastMs?: number | undefined;
    }
  /** Somebody else writes now. */
  | { readonly kind: 'fenced' };

export const fenced: Stage = Object.freeze({ kind: 'fenced' });

export function wait(why: string, afterSeconds?: number): Stage {
  return { kind: 'wait', why, leastMs: afterSeconds === undefined ? 0 : afterSeconds * 1_000 };
}
