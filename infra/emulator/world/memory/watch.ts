import { isWithin } from '#events/forwarder/followed.ts';
import { apiVersion } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type {
  Line,
  Refused,
  Scope,
  WatchEnd,
  Watching,
  WatchOptions,
} from '#shared/domain/watched.ts';
import { idOf } from '../known-kinds.ts';
import type { Time } from '../time.ts';
import type { ApiServer, Change } from './api-server.ts';

/** A watch that somebody has open, as faults see it. */
export type OpenWatch = {
  readonly scope: Scope;
  from: number;
  said: readonly Line[];
  ended: WatchEnd | undefined;
  /** Half open: nothing comes any more, and nobody says so. */
  isSilent: boolean;
  /** Before its time is over it says how far it has come. */
  isAtEnd: boolean;
  /** Nothing comes before this moment. */
  heldUntilMs: number;
};

/** The version of the last change that a watch of this scope is told; 0 where there was none. */
export function lastToldOf(server: ApiServer, scope: Scope): number {
  const told = server.past().filter((change) => lineOf(change, scope).length > 0);
  return told.at(-1)?.version ?? 0;
}

export type Watches = {
  open(scope: Scope, options: WatchOptions): Watching | Refused;
  /** Those of one kind, as `deployments.apps`, or all. */
  each(resource: string | undefined, act: (watch: OpenWatch) => void): void;
};

const bookmarkMs = 60_000;

export function watchesOn(server: ApiServer, time: Time): Watches {
  const all = new Set<OpenWatch>();
  return {
    open(scope, options) {
      const from = Number(options.resourceVersion ?? server.revision());
      if (server.changesAfter(from) === undefined) return tooOld(from, server);
      const said = options.resourceVersion === undefined ? initial(server, scope) : [];
      const well = { ended: undefined, isSilent: false, isAtEnd: false, heldUntilMs: 0 };
      const watch = { scope, from, said, ...well };
      all.add(watch);
      const closesAtMs = time.now() + options.timeoutSeconds * 1_000;
      return watching(watch, { server, time, options, closesAtMs, leave: () => all.delete(watch) });
    },
    each(resource, act) {
      for (const watch of all) {
        if (resource === undefined || idOf(watch.scope.kind) === resource) act(watch);
      }
      server.news.wake();
    },
  };
}

function tooOld(from: number, server: ApiServer): Refused {
  return { kind: 'expired', why: `too old resource version: ${from} (${server.revision()})` };
}

function initial(server: ApiServer, scope: Scope): readonly Line[] {
  const lines = server.objects
    .objects(scope.kind)
    .filter((object) => isIn(object, scope))
    .map((object): Line => ({ kind: 'change', type: 'ADDED', object: seen(object, scope) }));
  return [...lines, bookmark(server.revision(), true)];
}

function bookmark(revision: number, isInitialEnd = false): Line {
  return { kind: 'bookmark', resourceVersion: String(revision), isInitialEnd };
}

type Around = {
  readonly server: ApiServer;
  readonly time: Time;
  readonly options: WatchOptions;
  readonly closesAtMs: number;
  readonly leave: () => void;
};

function watching(watch: OpenWatch, around: Around): Watching {
  const { server, time, options } = around;
  async function next(): Promise<readonly Line[] | WatchEnd> {
    const askedAtMs = time.now();
    for (;;) {
      const said = linesOf(watch, around, askedAtMs);
      if (said.length > 0) return said;
      const end = endOf(watch, around, askedAtMs);
      if (end !== undefined) return end;
      const ms = Math.max(nextWordMs(watch, around, askedAtMs) - time.now(), 1);
      await server.news.change({ ms, signal: options.signal });
    }
  }
  const close = () => {
    watch.ended ??= { kind: 'cut', why: 'closed by us' };
    around.leave();
    server.news.wake();
  };
  return { kind: 'open', next, close };
}

function endOf(watch: OpenWatch, around: Around, askedAtMs: number): WatchEnd | undefined {
  const { time, options, closesAtMs } = around;
  if (options.signal.aborted) return { kind: 'cut', why: 'closed by us' };
  if (watch.ended !== undefined) return watch.ended;
  if (time.now() >= askedAtMs + options.idleMs) return { kind: 'idle' };
  return time.now() >= closesAtMs ? { kind: 'closed' } : undefined;
}

/** When something is to be said, or to end, although nothing happens. */
function nextWordMs(watch: OpenWatch, around: Around, askedAtMs: number): number {
  const { time, options, closesAtMs } = around;
  const endMs = Math.min(askedAtMs + options.idleMs, closesAtMs);
  if (watch.isSilent) return endMs;
  const { heldUntilMs } = watch;
  return Math.min(endMs, heldUntilMs > time.now() ? heldUntilMs : askedAtMs + bookmarkMs);
}

function linesOf(watch: OpenWatch, around: Around, askedAtMs: number): readonly Line[] {
  const { server, time, closesAtMs } = around;
  const { scope, said, isSilent, heldUntilMs } = watch;
  if (isSilent || heldUntilMs > time.now()) return [];
  watch.said = [];
  // Who has it open is told of what the server has forgotten since.
  const changes = server.past().filter(({ version }) => version > watch.from);
  const lines = [...said, ...changes.flatMap((change) => lineOf(change, scope))];
  // From the future, it is told of nothing before that.
  if (server.revision() < watch.from) return lines;
  watch.from = server.revision();
  const isLast = !watch.isAtEnd && time.now() >= closesAtMs;
  if (lines.length > 0 || (!isLast && time.now() < askedAtMs + bookmarkMs)) return lines;
  watch.isAtEnd ||= isLast;
  return [bookmark(server.revision())];
}

/** To a selector's watch an object comes and goes by its labels as well. */
function lineOf({ version, kind, before, after }: Change, scope: Scope): readonly Line[] {
  if (idOf(kind) !== idOf(scope.kind)) return [];
  const type = typeFor(isIn(before, scope), isIn(after, scope));
  // Who stops to match is told as it was while it did.
  const object = type === 'DELETED' ? before : after;
  if (object === undefined || type === undefined) return [];
  const metadata = { ...object.metadata, resourceVersion: String(version) };
  return [{ kind: 'change', type, object: seen({ ...object, metadata }, scope) }];
}

function typeFor(was: boolean, is: boolean): 'ADDED' | 'MODIFIED' | 'DELETED' | undefined {
  if (was) return is ? 'MODIFIED' : 'DELETED';
  return is ? 'ADDED' : undefined;
}

/** The server selects by the whole object, however little of it is told. */
function isIn(object: KubeObject | undefined, { metadataOnly: _, ...scope }: Scope): boolean {
  if (object === undefined) return false;
  const { namespace } = object.metadata;
  return (
    (scope.namespace === undefined || scope.namespace === namespace) && isWithin(object, scope)
  );
}

/** As it comes over the wire: a copy, in the version that is asked for, and no more than is asked for. */
function seen(object: KubeObject, { kind, metadataOnly }: Scope): KubeObject {
  const stated = { apiVersion: apiVersion(kind), kind: kind.kind };
  const { metadata } = object;
  return structuredClone(
    metadataOnly === true ? { ...stated, metadata } : { ...object, ...stated },
  );
}
