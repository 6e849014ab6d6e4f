import type { Cursor } from '#shared/domain/mirrored.ts';
import type { Store } from './ports.ts';
import { afterRefusal, tellForbidden } from './refusals.ts';
import { isServedOtherwise } from './served.ts';
import { fenced, type Stage } from './stage.ts';
import { isBehind, isVersion, laterOf } from './versions.ts';
import { servedScope, type Writer } from './writer.ts';

/**
 * A server that was restored to an older state accepts a watch from its future and says nothing, and another cluster
 * may answer under the same address: so both are asked before each watch.
 */
export async function check(cursor: Cursor, writer: Writer): Promise<Stage> {
  const current = await currentEpoch(writer);
  if (current === 'fenced') return fenced;
  if (current === undefined) return { kind: 'check', cursor };
  forgetOthers(current, writer);
  if (current !== cursor.epoch) {
    const next = { ...cursor, epoch: current, at: 'nowhere' as const };
    return { kind: 'list', cursor: next, why: 'another history of the cluster has begun' };
  }
  if (await isServedOtherwise(writer)) {
    return { kind: 'list', cursor, why: 'the server has another version of the kind again' };
  }
  if (cursor.at === 'nowhere') return { kind: 'list', cursor, why: 'nothing is known yet' };
  if (cursor.at === 'listing') return { kind: 'list', cursor, why: 'no list was finished' };
  const { resourceVersion } = cursor.at;
  if (!isVersion(resourceVersion)) return { kind: 'list', cursor, why: 'the list said no version' };
  return checkVersion(cursor, laterOf(resourceVersion, writer.memory.ahead), writer);
}

/** Also where the last history ended while somebody else wrote. */
function forgetOthers(epoch: number, { memory }: Writer): void {
  if (memory.epoch !== epoch) memory.ahead = '';
  memory.epoch = epoch;
}

/** `undefined`: somebody began another epoch in this moment. */
async function currentEpoch(writer: Writer): Promise<Begun> {
  const { store, stream } = writer.world;
  const known = await store.identity();
  // Asked after it: an answer from before what is stored may be that of the cluster before.
  const uid = await stream.identity(writer.signal);
  if (known?.uid === uid) return known.epoch;

  const epoch = await store.beginEpoch(writer.term, { uid, after: known?.epoch ?? 0 });
  if (known !== undefined) tellEpoch(writer, epoch, 'it is another cluster');
  return epoch;
}

async function checkVersion(cursor: Cursor, at: string, writer: Writer): Promise<Stage> {
  const { world, signal } = writer;
  const { pace, pause, now } = world;
  const deadline = now() + pace.restoredMs;
  for (;;) {
    // An answer may lie in the socket while this process sleeps: what was asked before the end concludes nothing.
    const isLast = now() >= deadline;
    const answer = await world.stream.version(servedScope(writer), signal);
    if (answer.kind !== 'version') {
      tellForbidden(answer, writer);
      return afterRefusal(answer, cursor);
    }
    if (!isBehind(answer.resourceVersion, at)) return { kind: 'wake-existing', cursor };
    if (signal.aborted) return { kind: 'check', cursor };
    if (isLast) return restored(cursor, writer);
    // A replica may lag for a moment; an older state stays behind.
    await pause(pace.restoredMs / 6, signal);
  }
}

/** Its state went back: whatever is known belongs to a history that is over. */
export async function restored(cursor: Cursor, writer: Writer): Promise<Stage> {
  const { store, stream } = writer.world;
  const uid = await stream.identity(writer.signal);
  const epoch = await store.beginEpoch(writer.term, { uid, after: cursor.epoch });
  tellEpoch(writer, epoch, 'its versions went back: it was restored');
  return epoch === 'fenced' ? fenced : { kind: 'check', cursor };
}

type Begun = Awaited<ReturnType<Store['beginEpoch']>>;

/** By whoever began it. */
function tellEpoch({ world, term }: Writer, epoch: Begun, why: string): void {
  if (typeof epoch === 'number') world.tell({ kind: 'new-epoch', scope: term.scope, epoch, why });
}
