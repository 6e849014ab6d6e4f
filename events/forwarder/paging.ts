import type { Listed, Refused, Scope } from '#shared/domain/watched.ts';
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
};

export async function eachPage<E>(
  { scope, take }: Paging<E>,
  writer: Writer,
): Promise<Whole | Declined | E> {
  const { stream, pace } = writer.world;
  let from: string | undefined;
  let resourceVersion: string | undefined;
  let upTo: string | undefined;
  let limit = Math.min(firstLimit, pace.pageLimit);
  for (;;) {
    const page = await stream.list(scope, { limit, continue: from, signal: writer.signal });
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

/** A page is parsed as a whole: of 50,000 objects the process then needs no more than of one page. */
const wantedBytes = 512 * 1024;

/** Ten kinds may be listed at once: with all their pages of 8 MiB the heap that a Deployment gives would be too small. */
const firstLimit = 32;

/** Large objects come in small pages, so that memory follows bytes. */
export function nextLimit(limit: number, bytes: number, most: number): number {
  const fitting = Math.max(1, Math.floor((limit * wantedBytes) / bytes));
  return Math.min(most, limit * 2, fitting);
}
