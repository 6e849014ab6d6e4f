import type { TransactionSql } from 'postgres';
import { arrayText } from '#shared/domain/array-text.ts';
import type { Cursor, Row } from '#shared/domain/mirrored.ts';
import { type StoredCursor, storedFrom } from './cursor.ts';
import { channel, noticeText } from './notice.ts';
import type { Place } from './scope-rows.ts';

/** How far a scope is by this transaction, and which of its rows changed. */
export type Conclusion = {
  readonly place: Place;
  /** `undefined` leaves it where it was. */
  readonly cursor: Cursor | undefined;
  readonly changed: readonly Pick<Row, 'namespace' | 'name'>[];
  /** Somebody listens to this kind. */
  readonly isHeard: boolean;
};

/**
 * Cursor, count and notice of all scopes on one way there. Who hears the notice finds what it is about: it is sent with
 * the commit.
 */
export async function conclude(
  tx: TransactionSql,
  cluster: string,
  conclusions: readonly Conclusion[],
): Promise<void> {
  const moved = conclusions.filter(
    ({ cursor, changed }) => cursor !== undefined || changed.length > 0,
  );
  if (moved.length === 0) return;

  const cursors = moved.map(({ cursor }) => cursor && storedFrom(cursor));
  const of = (value: (cursor: StoredCursor) => string | number | null) =>
    arrayText(cursors.map((cursor) => textOf(cursor && value(cursor))));
  const notices = moved.map(({ place, changed, isHeard }) =>
    isHeard && changed.length > 0 ? noticeText(place, changed) : null,
  );
  await tx`
    with moved as (
      update watches w set
        epoch = coalesce(t.epoch, w.epoch),
        generation = coalesce(t.generation, w.generation),
        resource_version = case when t.position is null then w.resource_version
          else t.resource_version end,
        position = coalesce(t.position, w.position),
        changes = w.changes + t.changes, updated_at = clock_timestamp()
      from unnest(${arrayText(moved.map(({ place }) => place.scope))}::text[],
        ${of(({ epoch }) => epoch)}::int[], ${of(({ generation }) => generation)}::int[],
        ${of((cursor) => cursor.resource_version)}::text[], ${of(({ position }) => position)}::text[],
        ${arrayText(moved.map(({ changed }) => (changed.length > 0 ? '1' : '0')))}::int[],
        ${arrayText(notices)}::text[])
        as t (scope, epoch, generation, resource_version, position, changes, notice)
      where w.cluster = ${cluster} and w.scope = t.scope
      returning w.changes, t.notice)
    select pg_notify(${channel}, '{"changes":' || changes || notice)
    from moved where notice is not null`;
}

function textOf(value: string | number | null | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}
