import type { Cursor } from '#shared/domain/mirrored.ts';
import { cursorFrom, type StoredCursor } from './cursor.ts';

/** A cursor as a transaction finds it, and since when its server has forgotten nothing. */
export type FoundCursor = StoredCursor & { readonly since: string };

/**
 * How far each scope is, as the database has told this process. One that was promoted, or that came back without its
 * last commits, may know less by now: what it forgot, only a watch from its own cursor tells again. Beside the cursor
 * it may have forgotten who was woken for what exists: whoever claims the scope anew looks at that.
 */
export type ToldCursors = {
  /** By the claim: whatever was committed before it, the server has not forgotten. */
  claimed(scope: string, cursor: Cursor): void;
  told(scope: string, cursor: Cursor): void;
  /** What became of a commit is not known. */
  forget(scope: string): void;
  isStill(scope: string, found: FoundCursor): boolean;
};

type Known = { readonly cursor: string | undefined; readonly since: string | undefined };

const nothing: Known = { cursor: undefined, since: undefined };

export function openToldCursors(): ToldCursors {
  const scopes = new Map<string, Known>();
  const known = (scope: string): Known => scopes.get(scope) ?? nothing;
  const learn = (scope: string, news: Partial<Known>) =>
    void scopes.set(scope, { ...known(scope), ...news });
  return {
    claimed: (scope, cursor) => learn(scope, { cursor: textOf(cursor), since: undefined }),
    told: (scope, cursor) => learn(scope, { cursor: textOf(cursor) }),
    forget: (scope) => learn(scope, { cursor: undefined }),
    isStill(scope, found) {
      const stored = textOf(cursorFrom(found));
      const { cursor = stored, since = found.since } = known(scope);
      learn(scope, { since });
      return since === found.since && cursor === stored;
    },
  };
}

function textOf({ epoch, generation, at }: Cursor): string {
  return JSON.stringify([epoch, generation, at]);
}
