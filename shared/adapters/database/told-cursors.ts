import type { Cursor } from '#shared/domain/mirrored.ts';
import { cursorFrom, type StoredCursor } from './cursor.ts';

/**
 * How far each scope is, as the database has told this process. One that was promoted, or that came back without its
 * last commits, may know less by now: what it forgot, only a watch from its own cursor tells again.
 */
export type ToldCursors = {
  told(scope: string, cursor: Cursor): void;
  /** What became of a commit is not known. */
  forget(scope: string): void;
  isStill(scope: string, stored: StoredCursor): boolean;
};

export function openToldCursors(): ToldCursors {
  const cursors = new Map<string, string>();
  return {
    told: (scope, cursor) => void cursors.set(scope, textOf(cursor)),
    forget: (scope) => void cursors.delete(scope),
    isStill(scope, stored) {
      const told = cursors.get(scope);
      return told === undefined || told === textOf(cursorFrom(stored));
    },
  };
}

function textOf({ epoch, generation, at }: Cursor): string {
  return JSON.stringify([epoch, generation, at]);
}
