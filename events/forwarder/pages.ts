import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cursor } from '#shared/domain/mirrored.ts';
import type { Refused, Scope } from '#shared/domain/watched.ts';
import { restored } from './checking.ts';
import { whyNobody } from './lines.ts';
import type { Taken } from './listed.ts';
import { readAlone } from './looking.ts';
import { type Declined, eachPage, type Page, type Whole } from './paging.ts';
import { afterLook, afterRefusal, isRefused, tellUnkept } from './refusals.ts';
import { isKept, type Seen, seenOf } from './seen.ts';
import { fenced, type Stage, wait } from './stage.ts';
import type { Writer } from './writer.ts';

export type Read = Omit<Whole, 'kind'> & {
  readonly kind: 'read';
  readonly objects: number;
  readonly inherited: number;
};

type Reading = {
  readonly scope: Scope;
  readonly cursor: Cursor;
  /** Those of a page; and those that were too large for it, as a look at each has shown them, or that nobody can keep. */
  readonly take: (objects: readonly KubeObject[], others: readonly Seen[]) => Promise<Taken>;
};

/** Page after page, each in a transaction of its own. */
export async function readPages(
  reading: Reading,
  writer: Writer,
): Promise<Read | Declined | Stage> {
  let objects = 0;
  let inherited = 0;
  const take = async (page: Page): Promise<Stage | undefined> => {
    const taken = await takePage(page, reading, writer);
    if (taken.kind !== 'committed') return taken;
    objects += taken.objects;
    inherited += taken.inherited;
    return undefined;
  };
  const listed = await eachPage({ scope: reading.scope, take, isPatient: true }, writer);
  return listed.kind === 'whole' ? { ...listed, kind: 'read', objects, inherited } : listed;
}

/** As with a line that nobody can read: what it says only another list tells. */
export function whyUnread({ objects }: Pick<Page, 'objects'>): string | undefined {
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
  for (const { metadata } of oversized) {
    const { namespace = '', name = '' } = metadata;
    const alone = await readAlone([{ namespace, name }], writer);
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
