import { isJsonObject, type JsonObject, jsonIn } from '#shared/domain/json.ts';
import type { Kind } from '#shared/domain/kind.ts';
import { placeOf, type Row } from '#shared/domain/mirrored.ts';

export const channel = 'gatehouse_mirror';

/** What a listener is told of a transaction: names only, or that something of the kind changed. */
export type Notice = Pick<Kind, 'group' | 'resource'> & {
  readonly cluster: string;
  readonly scope: string;
  /** The scope's count of changes with this one. */
  readonly changes: number;
  /** `namespace/name`; `undefined` where there are too many. */
  readonly names: readonly string[] | undefined;
};

/** Postgres takes 8,000 bytes at most. */
const maxBytes = 7_000;

/** Without its count, which only the database knows: that is put before it. */
export function noticeText(
  notice: Omit<Notice, 'changes' | 'names'>,
  rows: readonly Pick<Row, 'namespace' | 'name'>[],
): string {
  const { cluster, group, resource, scope } = notice;
  const about = { cluster, group, resource, scope };
  // A name has a byte at least: what cannot fit is not even put together.
  const names = rows.length < maxBytes / 4 ? [...new Set(rows.map(placeOf))] : undefined;
  const full = rest({ ...about, names });
  return Buffer.byteLength(full) <= maxBytes ? full : rest(about);
}

/** `undefined` for what another version of us, or somebody else, may have sent. */
export function noticeFrom(payload: string): Notice | undefined {
  const said = jsonIn(payload);
  if (!isJsonObject(said) || !Number.isSafeInteger(said['changes'])) return undefined;
  const { changes, names, ...about } = said as Notice & JsonObject;
  return { ...about, changes, names };
}

function rest(value: object): string {
  return `,${JSON.stringify(value).slice(1)}`;
}
