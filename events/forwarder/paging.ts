import type { Listed, Refused, Scope } from '#shared/domain/watched.ts';
import { backoffMs, leastMsOf } from './backoff.ts';
import type { Stream } from './ports.ts';
import { furthest } from './versions.ts';
import type { Writer } from './writer.ts';

export type Page = Extract<Listed, { readonly kind: 'page' }>;

/** All pages were read. */
export type Whole = {
  readonly kind: 'whole';
  /** The collection's as its first page was read: pages of a storage without snapshots are each true for their own. */
  readonly resourceVersion: string;
  /** How far any of them reaches. */
  readonly upTo: string;
};

/** The server would not show a page of it. */
export type Declined = { readonly kind: 'declined'; readonly refused: Refused };

type Paging<E> = {
  readonly scope: Scope;
  /** What ends the list before its last page; `undefined` goes on. */
  readonly take: (page: Page) => Promise<E | undefined>;
  /** What is done of a list that somebody waits for is worth a wait; whoever has to hear of events waits for no page. */
  readonly isPatient: boolean;
};

export async function eachPage<E>(
  { scope, take, isPatient }: Paging<E>,
  writer: Writer,
): Promise<Whole | Declined | E> {
  const { stream, pace } = writer.world;
  const ask: Stream['list'] = isPatient ? patiently(writer) : stream.list;
  let from: string | undefined;
  let resourceVersion: string | undefined;
  let upTo: string | undefined;
  let limit = Math.min(firstLimit, pace.pageLimit);
  for (;;) {
    const page = await ask(scope, { limit, continue: from, signal: writer.signal });
    if (page.kind !== 'page') return { kind: 'declined', refused: page };
    const end = await take(page);
    if (end !== undefined) return end;
    limit = nextLimit(limit, page.bytes, pace.pageLimit);
    from = page.continue;
    resourceVersion ??= page.resourceVersion;
    upTo = furthest(upTo, page.resourceVersion) ?? page.resourceVersion;
    if (from === undefined) return { kind: 'whole', resourceVersion, upTo };
  }
}

/**
 * Under the pressure that makes a server say 429, and on a network that loses one request in a hundred, nothing is worse
 * than to read all pages once more. Of one that broke off nothing was handed on: a page is read whole or not at all.
 */
function patiently(writer: Writer): Stream['list'] {
  const { stream, now } = writer.world;
  return (scope, options) => {
    const begunAt = now();
    const ask = async (times: number): Promise<Listed> => {
      const asked = await outcomeOf(stream.list(scope, options));
      // Of a first page nothing is lost: the next turn asks for it.
      const hindrance = options.continue === undefined ? undefined : hindranceIn(asked);
      const tried = { times, ms: now() - begunAt };
      if (hindrance && (await waitedFor(hindrance, tried, writer))) return ask(times + 1);
      if (asked.kind === 'broken') throw asked.cause;
      return asked;
    };
    return ask(0);
  };
}

type Broken = { readonly kind: 'broken'; readonly cause: unknown };

function outcomeOf(asked: Promise<Listed>): Promise<Listed | Broken> {
  return asked.catch((cause: unknown) => ({ kind: 'broken', cause }));
}

/** What may be over in a moment. */
type Hindrance = { readonly why: string; readonly leastMs: number };

function hindranceIn(asked: Listed | Broken): Hindrance | undefined {
  if (asked.kind === 'broken') {
    const { cause } = asked;
    return { why: whyBroken(cause), leastMs: leastMsOf(cause) };
  }
  return asked.kind === 'busy'
    ? { why: asked.why, leastMs: (asked.afterSeconds ?? 0) * 1_000 }
    : undefined;
}

export function whyBroken(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'no answer';
}

const mostWaits = 5;

type Tried = { readonly times: number; readonly ms: number };

/**
 * Whoever holds a lease pauses no longer than for that, and tries no longer than a silent watch is believed: another replica
 * may reach the server where this one does not.
 */
async function waitedFor(
  { why, leastMs }: Hindrance,
  tried: Tried,
  { world, term, signal }: Writer,
): Promise<boolean> {
  const { leaseMs, idleMs } = world.pace;
  const ms = leastMs + backoffMs(tried.times, world);
  const isEnough = tried.times >= mostWaits || tried.ms + ms > idleMs;
  if (signal.aborted || ms > leaseMs || isEnough) return false;
  world.tell({ kind: 'refused-page', scope: term.scope, why, ms });
  await world.pause(ms, signal);
  return !signal.aborted;
}

/** A page is parsed as a whole: of 50,000 objects the process then needs no more than of one page. */
const wantedBytes = 512 * 1024;

/** Ten kinds may be listed at once: with all their pages of 8 MiB the heap that a Deployment gives would be too small. */
const firstLimit = 32;

/** Large objects come in small pages, so that memory follows bytes. */
export function nextLimit(limit: number, bytes: number, most: number): number {
  const fitting = Math.max(1, Math.floor((limit * wantedBytes) / bytes));
  return Math.min(most, limit * 2, fitting);
}
