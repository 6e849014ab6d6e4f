import type { Cursor } from '#shared/domain/mirrored.ts';
import { scopeName } from '#shared/domain/watched.ts';
import { awaitKind } from './absent.ts';
import type { Audit } from './audit.ts';
import { disownStrangers, wakeExisting } from './backfilling.ts';
import { backoffMs, leastMsOf } from './backoff.ts';
import { check } from './checking.ts';
import type { Followed } from './followed.ts';
import { keepTerm } from './lease.ts';
import { listAll } from './listing.ts';
import { freshMemory, type Memory } from './memory.ts';
import type { Stage } from './stage.ts';
import { watchOn } from './watching.ts';
import type { World } from './world.ts';
import type { Writer } from './writer.ts';

/** How a turn as the writer ended. */
type End = Extract<Stage, { readonly kind: 'wait' | 'fenced' }> | { readonly kind: 'standing-by' };

/** One scope, for as long as the signal lives: whatever happens, it is taken up again from the stored cursor. */
export async function follow(
  followed: Followed,
  { world, audit }: { readonly world: World; readonly audit: Audit },
  signal: AbortSignal,
): Promise<void> {
  const scope = scopeName(followed.scope);
  const memory = freshMemory();
  while (!signal.aborted) {
    try {
      const end = await turn({ followed, world, memory, signal }, { scope, audit });
      await rest(end, { scope, world, memory, signal });
    } catch (cause: unknown) {
      if (signal.aborted) break;
      const ms = afterThrowMs(cause, memory, world);
      world.tell({ kind: 'failed', scope, cause, ms });
      await world.pause(ms, signal);
    }
  }
}

type Following = {
  readonly followed: Followed;
  readonly world: World;
  readonly memory: Memory;
  readonly signal: AbortSignal;
};

type Guarded = { readonly scope: string; readonly audit: Audit };

async function turn(following: Following, { scope, audit }: Guarded): Promise<End> {
  const { world, memory, signal } = following;
  const { store, holder, pace } = world;
  // Replicas of another configuration may have overlapping scopes. The youngest loop takes them, and once: they wait.
  const how = memory.hasClaimed ? 'in-turn' : 'before-others';
  memory.vainClaims += 1;
  // With a claim, what overlapping scopes have noted is gone.
  memory.knownBefore ??= new Set(await store.wokenBefore());
  const claimed = await store.claim(scope, holder, pace.leaseMs, how);
  memory.vainClaims = 0;
  memory.hasClaimed = true;
  if (claimed === undefined) return { kind: 'standing-by' };

  const { term, cursor } = claimed;
  world.tell({ kind: 'took-over', scope, term: term.number });
  if (term.number !== memory.term) {
    audit.takeOver(world);
    // Whoever led meanwhile may have said a later one.
    memory.mark = undefined;
  }
  memory.term = term.number;
  await using kept = keepTerm(term, world, signal);
  const writer = { ...following, term, signal: kept.signal };
  if ((await disownStrangers(writer)) === 'fenced') return { kind: 'fenced' };
  // Awaited, or the term would be given back at once.
  return await write(cursor, { writer, audit });
}

type Writing = { readonly writer: Writer; readonly audit: Audit };

/** The central path: from stage to stage, until there is a reason to begin again. */
async function write(from: Cursor, writing: Writing): Promise<End> {
  let stage: Stage = { kind: 'check', cursor: from };
  while (!writing.writer.signal.aborted) {
    if (stage.kind === 'wait' || stage.kind === 'fenced') return stage;
    stage = await take(stage, writing);
  }
  return { kind: 'fenced' };
}

function take(stage: Exclude<Stage, End>, { writer, audit }: Writing): Promise<Stage> {
  switch (stage.kind) {
    case 'check':
      return check(stage.cursor, writer);
    case 'list':
      return listAll(stage, writer);
    case 'wake-existing':
      return wakeExisting(stage, writer);
    case 'watch':
      return watchOn({ ...stage, audit }, writer);
    case 'absent':
      return awaitKind(stage, writer);
  }
}

type Resting = {
  readonly scope: string;
  readonly world: World;
  readonly memory: Memory;
  readonly signal: AbortSignal;
};

async function rest(end: End, { scope, world, memory, signal }: Resting): Promise<void> {
  if (signal.aborted) return;
  switch (end.kind) {
    case 'fenced':
      world.tell({ kind: 'fenced', scope });
      return world.pause(world.pace.firstBackoffMs, signal);
    case 'standing-by':
      world.tell({ kind: 'standing-by', scope });
      return world.pause((world.pace.leaseMs / 3) * (0.5 + world.random()), signal);
    case 'wait': {
      // A server that always asks for one second is not asked each second for ever.
      const ms = end.ms ?? (end.leastMs ?? 0) + afterFailureMs(memory, world);
      world.tell({ kind: 'waiting', scope, why: end.why, ms });
      return world.pause(ms, signal);
    }
  }
}

/** Nothing moves without the database, and to ask it costs little. */
function afterThrowMs(cause: unknown, memory: Memory, world: World): number {
  const { vainClaims } = memory;
  if (vainClaims === 0) return leastMsOf(cause) + afterFailureMs(memory, world);
  return Math.min(backoffMs(vainClaims - 1, world), world.pace.maxAwayMs);
}

/** A whole list and what a watch has given begin anew: a part of a list may be the same one for ever. */
function afterFailureMs(memory: Memory, world: World): number {
  const ms = backoffMs(memory.failures, world);
  memory.failures += 1;
  return ms;
}
