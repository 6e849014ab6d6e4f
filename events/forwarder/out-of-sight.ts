import type { KubeObject } from '#shared/domain/kube-object.ts';
import { type Cursor, placeOf, type Row } from '#shared/domain/mirrored.ts';
import type { Refused } from '#shared/domain/watched.ts';
import { type Taken, wentBack } from './listed.ts';
import { type Shown, seenAs } from './looking.ts';
import { afterDeclined, readPages } from './pages.ts';
import { type Plan, planChanges } from './plan.ts';
import type { Seen } from './seen.ts';
import type { Stage } from './stage.ts';
import { laterOf } from './versions.ts';
import { carryOut, nothing, servedScope, transact, type Writer } from './writer.ts';

/**
 * Where a list with a selector showed few of those that were known, they are found by one list without it: a GET each
 * would be a walk through the whole kind. Who left is forgotten, who is back is marked, and nobody else is there.
 */
export async function settleOutOfSight(cursor: Cursor, writer: Writer): Promise<Settled | Stage> {
  const { labels: _, fields: __, ...scope } = servedScope(writer);
  const take = (objects: readonly KubeObject[], alone: readonly Seen[]) =>
    settlePage(
      [...objects.map((object) => seenAs(object, servedScope(writer))), ...alone],
      cursor,
      writer,
    );
  const read = await readPages({ scope, cursor, take }, writer);
  if (read.kind === 'declined') {
    return isNeverRead.has(read.refused.kind) ? oneByOne : afterDeclined(read, cursor);
  }
  if (read.kind !== 'read') return read;
  // As by a GET: what it told may be later than what the watch has come to.
  const { memory } = writer;
  memory.ahead = laterOf(memory.ahead, read.resourceVersion);
  return { kind: 'settled', inherited: read.inherited, isComplete: true };
}

/** Our rights reach no further than the selector, or it is longer than the server keeps a version: what it has settled stays. */
const isNeverRead: ReadonlySet<Refused['kind']> = new Set(['forbidden', 'expired']);

export type Settled = {
  readonly kind: 'settled';
  /** Rows of others that are in sight: whoever is new here may not have been told of them. */
  readonly inherited: number;
  /** What is unmarked by now is gone. */
  readonly isComplete: boolean;
};

/** Without a selector, who is not in the list is gone. */
export const allShown: Settled = Object.freeze({ kind: 'settled', inherited: 0, isComplete: true });

/** They are few, or one list does not show them. */
export const oneByOne: Settled = Object.freeze({
  kind: 'settled',
  inherited: 0,
  isComplete: false,
});

async function settlePage(seen: readonly Seen[], cursor: Cursor, writer: Writer): Promise<Taken> {
  const shown = seen.filter((each) => 'object' in each);
  let isBack = false;
  let inherited = 0;
  const committed = await transact(writer, async (transaction) => {
    const names = seen.filter((each) => each.kind === 'oversized');
    const unkept = seen.filter((each) => each.kind === 'unkept').map(({ uid }) => uid);
    const uids = [...new Set([...shown.map(uidOf), ...unkept])];
    const known = await transaction.find({ uids, names });
    isBack = wentBack(shown, known, cursor);
    if (isBack) return nothing;
    const plan = planPage(
      shown,
      known.filter((row) => isUnmarked(row, cursor)),
      { ...cursor, unread: new Set(names.map(placeOf)), unkept: new Set(unkept) },
    );
    inherited = plan.marked.length;
    return carryOut(plan, { transaction, writer, cursor });
  });
  if (committed.kind === 'fenced') return committed;
  return isBack ? { kind: 'went-back' } : { kind: 'committed', inherited };
}

/** And the places of those that nobody can read, the uids of those that nobody can keep: they are there. */
type Page = Cursor & {
  readonly unread: ReadonlySet<string>;
  readonly unkept: ReadonlySet<string>;
};

/** Of what the list itself showed, the watch goes on to tell. */
function planPage(seen: readonly Shown[], unmarked: readonly Row[], page: Page): Plan {
  const uids = new Set(unmarked.map(({ uid }) => uid));
  const shown = seen.filter((each) => uids.has(uidOf(each)));
  const { epoch, generation } = page;
  const left = shown.filter(({ kind }) => kind === 'left');
  const back = shown.filter(({ kind }) => kind !== 'left');
  const unread = unmarked.filter(
    (row) => page.unread.has(placeOf(row)) || page.unkept.has(row.uid),
  );
  return {
    ...planChanges(left, unmarked, { epoch, generation, keysOf: () => [] }),
    marked: [...new Set([...back.map(uidOf), ...unread.map(({ uid }) => uid)])],
  };
}

function isUnmarked(row: Row, { generation }: Cursor): boolean {
  return !row.isDeleted && (row.isInherited === true || row.generation < generation);
}

function uidOf({ object }: Shown): string {
  return object.metadata.uid ?? '';
}
