import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cursor } from '#shared/domain/mirrored.ts';
import type { Listed, Refused, Scope } from '#shared/domain/watched.ts';
import { restored } from './checking.ts';
import { whyNobody } from './lines.ts';
import type { Taken } from './listed.ts';
import { readAlone } from './looking.ts';
import type { Seen } from './plan.ts';
import { afterLook, afterRefusal, isRefused } from './refusals.ts';
import { fenced, type Stage, wait } from './stage.ts';
import { isKept, seenOf, tellUnkept } from './unkept.ts';
import type { Writer } from './writer.ts';

export type Read = {
  readonly kind: 'read';
  /** The collection's as its first page was read: pages of a storage without snapshots are each true for their own. */
  readonly resourceVersion: string;
  readonly objects: number;
  readonly inherited: number;
};

/** The server would not show a page of it. */
export type Declined = { readonly kind: 'declined'; readonly refused: Refused };

type Page = Extract<Listed, { readonly kind: 'page' }>;

type Reading = {
  readonly scope: Scope;
  readonly cursor: Cursor;
  /** Those of a page; and those that were too large for it, as a look at each has shown them, or that nobody can keep. */
  readonly take: (objects: readonly KubeObject[], others: readonly Seen[]) => Promise<Taken>;
};

/** Page after page, each in a transaction of its own. */
export async function readPages(
  { scope, cursor, take }: Reading,
  writer: Writer,
): Promise<Read | Declined | Stage> {
  const { stream, pace } = writer.world;
  let from: string | undefined;
  let resourceVersion: string | undefined;
  let limit = Math.min(firstLimit, pace.pageLimit);
  let objects = 0;
  let inherited = 0;
  for (;;) {
    const page = await stream.list(scope, { limit, continue: from, signal: writer.signal });
    if (page.kind !== 'page') return { kind: 'declined', refused: page };
    const taken = await takePage(page, { scope, cursor, take }, writer);
    if (taken.kind !== 'committed') return taken;
    objects += taken.objects;
    inherited += taken.inherited;
    limit = nextLimit(limit, page.bytes, pace.pageLimit);
    from = page.continue;
    resourceVersion ??= page.resourceVersion;
    if (from === undefined) return { kind: 'read', resourceVersion, objects, inherited };
  }
}

/** As with a line that nobody can read: what it says only another list tells. */
export function whyUnread({ objects }: Page): string | undefined {
  return objects.map(whyNobody).find((why) => why !== undefined);
}

type Committed = Extract<Taken, { readonly kind: 'committed' }> & { readonly objects: number };

async function takePage(
  page: Page,
  { cursor, take }: Reading,
  writer: Writer,
): Promise<Committed | Stage> {
  const unread = whyUnread(page);
  if (unread !== undefined) return wait(unread);
  let objects = 0;
  let inherited = 0;
  for await (const part of partsOf(page, writer)) {
    if (isRefused(part)) return afterLook(part, writer);
    const taken = await take(part.kept, part.others);
    if (taken.kind === 'fenced') return fenced;
    if (taken.kind === 'went-back') return restored(cursor, writer);
    objects += part.objects;
    inherited += taken.inherited;
  }
  return { kind: 'committed', objects, inherited };
}

type Part = {
  readonly kept: readonly KubeObject[];
  readonly others: readonly Seen[];
  readonly objects: number;
};

/** Those that are too large for a page one by one: a server that takes no limit may name all that it has. */
async function* partsOf(
  { objects, oversized = [] }: Page,
  writer: Writer,
): AsyncGenerator<Part | Refused> {
  const { kept, unkept } = parted(objects);
  tellUnkept(unkept, writer);
  yield { kept, others: unkept, objects: objects.length };
  for (const at of oversized) {
    const alone = await readAlone([at], writer);
    yield isRefused(alone) ? alone : { kept: [], others: alone, objects: 1 };
  }
}

function parted(objects: readonly KubeObject[]) {
  const seen = objects.map((object) => seenOf(object, 'present'));
  return {
    kept: seen.filter(isKept).map(({ object }) => object),
    unkept: seen.filter((each) => !isKept(each)),
  };
}

/** Between two pages the list was compacted away: another one begins, after a pause that lets it be shorter. */
export function afterDeclined({ refused }: Declined, cursor: Cursor): Stage {
  return refused.kind === 'expired' ? wait(refused.why) : afterRefusal(refused, cursor);
}

/** A page is parsed as a whole: of 50,000 objects the process then needs no more than of one page. */
const wantedBytes = 512 * 1024;

/** Ten kinds may be listed at once: with all their pages of 8 MiB the heap that a Deployment gives would be too small. */
export const firstLimit = 32;

/** Large objects come in small pages, so that memory follows bytes. */
export function nextLimit(limit: number, bytes: number, most: number): number {
  const fitting = Math.max(1, Math.floor((limit * wantedBytes) / bytes));
  return Math.min(most, limit * 2, fitting);
}
