import type { Cursor, Row } from '#shared/domain/mirrored.ts';
import type { Refused, Scope } from '#shared/domain/watched.ts';
import { lookAt, seenAs } from './looking.ts';
import { type Plan, planChanges, planGone } from './plan.ts';
import { isRefused } from './refusals.ts';
import type { Seen } from './seen.ts';
import { servedScope, type Writer } from './writer.ts';

type Fate = 'gone' | 'back' | Seen;

/** Of the rows that a whole list with a selector did not show, each by a GET, up to the first that the server would not show. */
export async function planMissing(
  missing: readonly Row[],
  { epoch, generation }: Cursor,
  writer: Writer,
): Promise<Plan | Refused> {
  const fates: (readonly [Row, Fate])[] = [];
  const scope = servedScope(writer);
  for (const row of missing) {
    const fate = await lookFor(row, scope, writer);
    if (typeof fate === 'object' && isRefused(fate)) return fate;
    fates.push([row, fate]);
  }

  const left = fates.flatMap(([, fate]) => (typeof fate === 'object' ? [fate] : []));
  const ended = planGone(rowsThat('gone', fates), { epoch });
  const moved = planChanges(left, missing, { epoch, generation, keysOf: () => [] });
  return {
    rows: ended.rows,
    // In sight again since the list: the watch will tell what it is like.
    marked: rowsThat('back', fates).map(({ uid }) => uid),
    forgotten: moved.forgotten,
    happened: [...ended.happened, ...moved.happened],
  };
}

function rowsThat(fate: Fate, fates: readonly (readonly [Row, Fate])[]): readonly Row[] {
  return fates.filter(([, each]) => each === fate).map(([row]) => row);
}

/** Out of a selector's sight by another label is not deleted. */
async function lookFor(row: Row, scope: Scope, writer: Writer): Promise<Fate | Refused> {
  const { namespace, name, uid } = row;
  const found = await lookAt({ namespace, name }, writer);
  if (found.kind === 'none') return 'gone';
  if (found.kind === 'oversized') return 'back';
  if (found.kind === 'unkept') return found.uid === uid ? 'back' : 'gone';
  if (found.kind !== 'found') return found;
  if (found.object.metadata.uid !== uid) return 'gone';
  const seen = seenAs(found.object, scope);
  return seen.kind === 'left' ? seen : 'back';
}
