/** How far a function was woken for the objects that exist. */
export type Backfill = {
  readonly function: string;
  readonly fingerprint: string;
  readonly after: string;
  readonly isDone: boolean;
};

export type BackfillRow = {
  readonly function: string;
  readonly fingerprint: string;
  readonly after: string;
  readonly is_done: boolean;
};

export function backfillFrom({ is_done, ...rest }: BackfillRow): Backfill {
  return { ...rest, isDone: is_done };
}
