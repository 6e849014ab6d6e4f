import type { Backfill } from '#shared/domain/mirrored.ts';

export type BackfillRow = {
  readonly function: string;
  readonly fingerprint: string;
  readonly after: string;
  readonly is_done: boolean;
};

export function backfillFrom({ is_done, ...rest }: BackfillRow): Backfill {
  return { ...rest, isDone: is_done };
}
