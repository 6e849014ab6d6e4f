import type { openStream } from '#shared/adapters/cluster/stream.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Line, Listed, Scope } from '#shared/domain/watched.ts';
import type { Thing } from '../shapes/meta.ts';
import type { Filling } from './shelf.ts';

export type Stream = Pick<ReturnType<typeof openStream>, 'list' | 'watch'>;

export type Following = {
  readonly stream: Stream;
  readonly signal: AbortSignal;
  /** Waits; less if the controllers end, or if something has changed in what is served. */
  pause(ms: number): Promise<'over' | 'roused'>;
  /** What of an object is kept. */
  kept(object: KubeObject): Thing;
  /** The first list is in, or the server has said that there is none. */
  onSynced(): void;
  onTrouble(why: string): void;
};

const pageLimit = 500;
const watchSeconds = 1_800;
/** Bookmarks come each minute. */
const idleMs = 190_000;
const leastPauseMs = 50;
const mostPauseMs = 30_000;
/** A kind that nobody serves costs one request in so long, in the end. */
const mostAbsentMs = 600_000;

/** Lists and watches one kind for as long as the controllers live. Nothing is lost: whatever is unclear is listed anew. */
export async function follow(
  scope: { readonly kind: Kind; readonly metadataOnly: boolean },
  shelf: Filling<Thing>,
  world: Following,
): Promise<void> {
  let failures = 0;
  let version: string | undefined;
  while (!world.signal.aborted) {
    const next = await once(scope, { shelf, world, version }).catch((cause: unknown): Next => {
      return { kind: 'wait', version, why: String(cause) };
    });
    version = next.version;
    if (next.kind === 'on') {
      failures = 0;
      continue;
    }
    if (world.signal.aborted) return;
    world.onTrouble(next.why);
    failures += 1;
    const paused = await world.pause(pauseFor(next, failures));
    if (paused === 'roused') failures = 0;
  }
}

/** What to watch from; without one the kind is listed. */
type Next =
  | { readonly kind: 'on'; readonly version: string | undefined }
  | {
      readonly kind: 'wait';
      readonly version: string | undefined;
      readonly why: string;
      /** A connection that broke is taken up at once; what is not served is waited for long. */
      readonly pace?: 'soon' | 'seldom';
    };

function pauseFor({ pace }: Extract<Next, { kind: 'wait' }>, failures: number): number {
  if (pace === 'soon') return leastPauseMs;
  return Math.min(leastPauseMs * 2 ** failures, pace === 'seldom' ? mostAbsentMs : mostPauseMs);
}

type At = {
  readonly shelf: Filling<Thing>;
  readonly world: Following;
  readonly version: string | undefined;
};

async function once(scope: Scope, at: At): Promise<Next> {
  return at.version === undefined
    ? listed(scope, at)
    : watched(scope, { ...at, version: at.version });
}

async function listed(scope: Scope, { shelf, world }: At): Promise<Next> {
  const objects: Thing[] = [];
  let from: string | undefined;
  do {
    const options = { limit: pageLimit, continue: from, signal: world.signal };
    const page = await world.stream.list(scope, options);
    if (page.kind !== 'page') return refused(page, { shelf, world });
    for (const object of page.objects) objects.push(world.kept(object));
    from = page.continue;
    if (from !== undefined) continue;
    shelf.replace(objects, page.resourceVersion);
    world.onSynced();
    return { kind: 'on', version: page.resourceVersion };
  } while (from !== undefined);
  return { kind: 'on', version: undefined };
}

type No = Exclude<Listed, { readonly kind: 'page' }>;

/** Of a kind that is not served, and of one that is not ours to read, there is nothing to wait for. */
function refused(no: No, { shelf, world }: Pick<At, 'shelf' | 'world'>): Next {
  const { kind, why } = no;
  if (kind === 'expired') return { kind: 'on', version: undefined };
  if (kind === 'absent' || kind === 'forbidden') {
    // What is not served is gone; what may not be read is only out of sight.
    if (kind === 'absent') shelf.clear();
    world.onSynced();
    return { kind: 'wait', version: undefined, why, pace: 'seldom' };
  }
  return { kind: 'wait', version: undefined, why };
}

async function watched(scope: Scope, at: At & { readonly version: string }): Promise<Next> {
  const { shelf, world } = at;
  const { signal } = world;
  let version = at.version;
  const options = { resourceVersion: version, timeoutSeconds: watchSeconds, idleMs, signal };
  const watching = await world.stream.watch(scope, options);
  if (watching.kind !== 'open') return refused(watching, at);
  try {
    for (;;) {
      const batch = await watching.next();
      if (!isLines(batch)) return afterEnd(batch, version);
      const reached = take(batch, shelf, world);
      if (reached === undefined) return { kind: 'on', version: undefined };
      version = reached;
    }
  } finally {
    watching.close();
  }
}

/** The version that the lines lead to; `undefined` where one of them could not be read. */
function take(
  lines: readonly Line[],
  shelf: Filling<Thing>,
  { kept }: Following,
): string | undefined {
  let version: string | undefined;
  for (const line of lines) {
    if (line.kind === 'garbled' || line.kind === 'oversized') return undefined;
    if (line.kind === 'bookmark') {
      shelf.reach(line.resourceVersion);
      version = line.resourceVersion;
      continue;
    }
    const object = kept(line.object);
    version = object.metadata.resourceVersion;
    if (line.type === 'DELETED') shelf.drop(object);
    else shelf.put(object);
  }
  return version;
}

type End = Exclude<Awaited<ReturnType<Open['next']>>, readonly Line[]>;
type Open = Extract<Awaited<ReturnType<Stream['watch']>>, { readonly kind: 'open' }>;

function isLines(batch: readonly Line[] | End): batch is readonly Line[] {
  return Array.isArray(batch);
}

function afterEnd(end: End, version: string): Next {
  switch (end.kind) {
    // A server that closes each watch at once is not asked in a circle.
    case 'closed':
    case 'idle':
      return { kind: 'wait', version, why: end.kind, pace: 'soon' };
    case 'cut':
      return { kind: 'wait', version, why: end.why, pace: 'soon' };
    case 'busy':
      return { kind: 'wait', version, why: end.why };
    default:
      return { kind: 'on', version: undefined };
  }
}
