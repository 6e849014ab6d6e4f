import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cursor } from '#shared/domain/mirrored.ts';
import { isLater, type Scope } from '#shared/domain/watched.ts';
import { compare, type Found, isIn, type Listing, type Slice, type Suspects } from './comparing.ts';
import { heal } from './healing.ts';
import { whyUnread } from './pages.ts';
import { type Declined, eachPage, type Page, whyBroken } from './paging.ts';
import { whyNoPlace } from './seen.ts';
import type { Turn, Turns } from './turns.ts';
import type { World } from './world.ts';
import { servedScope, type Writer } from './writer.ts';

/** Between two batches: what the mirror would have to hold is compared with a list. */
export type Audit = {
  step(cursor: Cursor, writer: Writer): Promise<Concluded>;
  /** Whoever stood by for long is late with all of its scopes at once. */
  takeOver(clock: Clock): void;
  /** Of a loop that is no more. */
  end(): void;
};

/** `went-back`: to be answered as any restore is. */
export type Concluded = 'on' | 'fenced' | 'went-back';

type State = {
  /** Versions of another one cannot be compared. */
  epoch: number;
  nextAt: number;
  slice: Slice;
  listing: Listing | undefined;
  /** While a long list is held. */
  turn: Turn | undefined;
  /** The last list came to nothing, as was told. */
  isHindered: boolean;
  suspects: Suspects;
};

type Clock = Pick<World, 'now' | 'random' | 'pace'>;

/** Scopes that begin together are not audited together, and of the long lists one is held at a time. */
export function openAudit({ now, random, pace }: Clock, turns: Turns): Audit {
  const state: State = {
    epoch: 0,
    nextAt: now() + pace.auditMs * (0.5 + 0.5 * random()),
    slice: { of: 1, index: 0 },
    listing: undefined,
    turn: undefined,
    isHindered: false,
    suspects: new Map(),
  };
  return {
    async step(cursor, writer) {
      if (state.epoch !== cursor.epoch) forget(state, cursor);
      const { listing } = state;
      if (typeof cursor.at === 'string') return 'on';
      if (listing === undefined) return listIfDue(state, { turns, writer });
      // Only when whatever the list showed has been told by the watch as well.
      if (isLater(listing.upTo, cursor.at.resourceVersion)) return 'on';
      try {
        return await conclude(state, { listing, cursor, writer });
      } finally {
        drop(state);
      }
    },
    takeOver(clock) {
      if (state.nextAt > clock.now()) return;
      state.nextAt = clock.now() + (clock.pace.auditMs / 10) * clock.random();
    },
    end: () => drop(state),
  };
}

function forget(state: State, { epoch }: Cursor): void {
  state.epoch = epoch;
  drop(state);
  state.suspects = new Map();
}

function drop(state: State): void {
  state.listing = undefined;
  state.turn?.giveBack();
  state.turn = undefined;
}

const mostInSlice = 20_000;
/** Many kinds may hold so many at once, while their watches catch up. */
const fewNames = 1_000;

type Listening = { readonly turns: Turns; readonly writer: Writer };

/** A list that is refused, breaks off, or that nobody can read, is tried again with the next audit: the watch goes on. */
async function listIfDue(state: State, { turns, writer }: Listening): Promise<'on'> {
  const { pace, now } = writer.world;
  if (now() < state.nextAt) return 'on';
  const turn = turns.take(() => drop(state));
  if (turn === undefined) return 'on';

  state.nextAt = now() + pace.auditMs;
  state.turn = turn;
  const names = await listNames(state, writer).catch(brokenOff);
  tellHindrance(names, state, writer);
  if (names.kind === 'names') state.listing = names.listing;
  if ((state.listing?.found.size ?? 0) <= fewNames) turn.giveBack();
  return 'on';
}

function brokenOff(cause: unknown): Unlisted {
  return { kind: 'unlisted', why: whyBroken(cause) };
}

/** Once: the next one, and the one after it, may be hindered in the same way. */
function tellHindrance(names: Names | Unlisted, state: State, { world, term, signal }: Writer) {
  if (names.kind === 'names') state.isHindered = false;
  // Whoever is stopped meanwhile is hindered by nobody.
  else if (!state.isHindered && !signal.aborted) {
    state.isHindered = true;
    world.tell({ kind: 'unaudited', scope: term.scope, why: names.why });
  }
}

/** By whole objects where the server lists no metadata, but never of what is watched without. */
async function listNames(state: State, writer: Writer): Promise<Names | Unlisted> {
  const scope = servedScope(writer);
  const listed = await readNames({ ...scope, metadataOnly: true }, { state, writer });
  const isUnknown = listed.kind === 'declined' && listed.refused.kind === 'unsupported';
  const may = isUnknown && scope.metadataOnly !== true;
  const names = may ? await readNames(scope, { state, writer }) : listed;
  return names.kind === 'declined' ? { kind: 'unlisted', why: names.refused.why } : names;
}

type Names = { readonly kind: 'names'; readonly listing: Listing };
type Unlisted = { readonly kind: 'unlisted'; readonly why: string };

async function readNames(
  scope: Scope,
  { state, writer }: { readonly state: State; readonly writer: Writer },
): Promise<Names | Unlisted | Declined> {
  const found = new Map<string, Found>();
  const takePage = async (page: Page): Promise<Unlisted | undefined> => {
    const objects = [...page.objects, ...(page.oversized ?? [])];
    const why = whyUnread({ objects });
    if (why !== undefined) return { kind: 'unlisted', why };
    take(objects, found, state);
    return undefined;
  };
  const read = await eachPage({ scope, take: takePage, isPatient: false }, writer);
  if (read.kind !== 'whole') return read;
  return { kind: 'names', listing: { version: read.resourceVersion, upTo: read.upTo, found } };
}

function take(objects: readonly KubeObject[], found: Map<string, Found>, state: State): void {
  for (const { metadata } of objects) {
    if (whyNoPlace(metadata) !== undefined) continue;
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
    if (isIn(state.slice, uid)) found.set(uid, { namespace, name, resourceVersion });
  }
  if (found.size > mostInSlice) narrow(state, found);
}

/** A large kind is gone through in several audits: what one holds in memory has a bound. */
function narrow(state: State, found: Map<string, Found>): void {
  state.slice = { of: state.slice.of * 2, index: state.slice.index };
  for (const uid of found.keys()) if (!isIn(state.slice, uid)) found.delete(uid);
}

type Concluding = {
  readonly listing: Listing;
  readonly cursor: Cursor;
  readonly writer: Writer;
};

/** Only what two audits of the same slice say counts; the second one comes soon. */
async function conclude(state: State, { listing, cursor, writer }: Concluding): Promise<Concluded> {
  const { slice, suspects: before } = state;
  const { world, term } = writer;
  const suspects = await compare({ listing, slice, cursor }, writer);
  if (suspects === 'fenced') return 'fenced';
  world.tell({ kind: 'audited', scope: term.scope });

  const agreed = [...suspects].filter(([uid, { why }]) => before.get(uid)?.why === why);
  const isBack = agreed.some(([, { why }]) => why === 'went-back');
  state.suspects = suspects;
  // What answers a restore may fail: until it has not, this slice is asked again.
  if (isBack || suspects.size > agreed.length) {
    state.nextAt = world.now() + world.pace.auditMs / 10;
  } else {
    state.slice = { of: slice.of, index: (slice.index + 1) % slice.of };
  }
  if (isBack) return 'went-back';
  return healAll(agreed, cursor, writer);
}

/** What nobody can keep is found by every audit, and was not lost: whoever makes such objects must not make the alarm. */
async function healAll(
  agreed: readonly (readonly [uid: string, suspect: { readonly at: Found }])[],
  cursor: Cursor,
  writer: Writer,
): Promise<'on' | 'fenced'> {
  let count = 0;
  try {
    for (const [uid, { at }] of agreed) {
      const healed = await heal(uid, { at, cursor }, writer);
      if (healed === 'fenced') return 'fenced';
      if (healed === 'healed') count += 1;
    }
    return 'on';
  } finally {
    const { scope } = writer.term;
    if (count > 0) writer.world.tell({ kind: 'lost', scope, count });
  }
}
