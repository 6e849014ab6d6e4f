import type { Listed, Refused, Scope } from '#shared/domain/watched.ts';
import { backoffMs } from './backoff.ts';
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

/** Under the pressure that makes a server say 429, nothing is worse than to read all pages once more. */
function patiently(writer: Writer, times = 0): Stream['list'] {
  return async (scope, options) => {
    const page = await writer.world.stream.list(scope, options);
    // Of a first page nothing is lost: the next turn asks for it.
    const isLoss = page.kind === 'busy' && options.continue !== undefined && times < mostWaits;
    if (!isLoss || !(await waitedFor(page, times, writer))) return page;
    return patiently(writer, times + 1)(scope, options);
  };
}

type Busy = Extract<Refused, { readonly kind: 'busy' }>;

const mostWaits = 5;

/** Whoever holds a lease waits no longer than for that: another replica may reach the server where this one does not. */
async function waitedFor(
  { why, afterSeconds = 0 }: Busy,
  times: number,
  { world, term, signal }: Writer,
): Promise<boolean> {
  const ms = afterSeconds * 1_000 + backoffMs(times, world);
  if (ms > world.pace.leaseMs) return false;
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
