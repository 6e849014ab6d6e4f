import {
  type Line,
  type Refused,
  type Scope,
  scopeName,
  type WatchEnd,
  type Watching,
  type WatchOptions,
} from '#shared/domain/watched.ts';
import type { Process } from '../stage.ts';
import { hasLine, linesAfter } from './lines.ts';
import { objectsOf } from './pages.ts';
import { askerName, type Server } from './server.ts';
import { isServed, seenRevision } from './state.ts';

export type OpenWatch = {
  readonly by: Process;
  readonly scope: Scope;
  readonly incarnation: number;
  readonly idleMs: number;
  readonly closesAt: number;
  from: number;
  /** Of a streaming list: what it has yet to say first. */
  initial: readonly Line[];
  /** And then it says that this was all; changes may come before that. */
  owesEnd: boolean;
  ended: WatchEnd | undefined;
  /** Half open: nothing comes any more, and nobody says so. */
  isSilent: boolean;
  wantsBookmark: boolean;
  idleAt: number;
};

export type Watcher = {
  readonly server: Server;
  readonly by: Process;
  readonly scope: Scope;
  readonly options: WatchOptions;
};

type Opened = Watching | Exclude<WatchEnd, { readonly kind: 'closed' | 'idle' }>;

export function openWatch(watcher: Watcher): Opened {
  const { server, options } = watcher;
  const { resourceVersion } = options;
  if (resourceVersion === undefined) {
    return server.streams ? streamed(watcher) : { kind: 'unsupported', why: 'an older server' };
  }
  const from = Number(resourceVersion);
  const refused = refusal(server, from);
  if (refused !== undefined) return refused;
  const watch = begin(watcher, from);
  watch.ended = endAtOnce(server, from);
  return watching(watch, watcher);
}

function refusal({ state, faults, dice }: Server, from: number): Refused | undefined {
  const isGone = from < state.compacted && state.tooOld === 'status';
  if (isGone) faults.count('gone-by-status');
  if (isGone || faults.strikes('gone-by-status', 0.06)) return { kind: 'expired', why: 'HTTP 410' };
  if (from <= seenRevision(state)) return undefined;
  // From the future: some replicas say so, others wait in silence.
  return state.lagging !== undefined || dice.chance(0.3)
    ? { kind: 'ahead', why: 'too large resource version' }
    : undefined;
}

/** The other two shapes of a 410, where it is one. */
function endAtOnce({ state, faults }: Server, from: number): WatchEnd | undefined {
  const isGone = from < state.compacted;
  const bySilence = isGone && state.tooOld === 'silence';
  if (bySilence) faults.count('gone-by-silence');
  if (bySilence || faults.strikes('gone-by-silence', 0.05)) return { kind: 'closed' };
  if (isGone) faults.count('gone-by-line');
  if (isGone || faults.strikes('gone-by-line', 0.06)) return { kind: 'expired', why: 'ERROR 410' };
  return undefined;
}

function streamed(watcher: Watcher): Opened {
  const { server, scope } = watcher;
  const { state } = server;
  const watch = begin(watcher, state.revision);
  watch.initial = objectsOf(state.objects, scope).map(
    (object): Line => ({ kind: 'change', type: 'ADDED', object }),
  );
  watch.owesEnd = true;
  return watching(watch, watcher);
}

function begin({ server, by, scope, options }: Watcher, from: number): OpenWatch {
  const { idleMs, timeoutSeconds } = options;
  const now = server.stage.now();
  const watch: OpenWatch = {
    ...{ by, scope, idleMs, from, initial: [], owesEnd: false, ended: undefined },
    incarnation: server.state.incarnation,
    closesAt: now + timeoutSeconds * 1_000,
    idleAt: now + idleMs,
    isSilent: false,
    wantsBookmark: false,
  };
  server.watches.add(watch);
  return watch;
}

function watching(watch: OpenWatch, { server, by, options: { signal } }: Watcher): Watching {
  const { stage, looking } = server;
  const wakesAt = () => Math.min(watch.closesAt, watch.idleAt);
  const next = () =>
    stage.park<readonly Line[] | WatchEnd>({
      by,
      what: `reads its watch of ${watch.scope.kind.resource}`,
      wakesAt,
      isReady: () => stage.now() >= wakesAt() || isEnded(watch, server) || hasNews(watch, server),
      answer: () => answer(watch, server),
      ended: { signal, answer: () => ({ kind: 'cut', why: 'aborted' }) },
    });
  return {
    kind: 'open',
    next() {
      looking.delete(askerName(by, scopeName(watch.scope)));
      return next();
    },
    close() {
      watch.ended ??= { kind: 'cut', why: 'closed by us' };
      server.watches.delete(watch);
    },
  };
}

function isEnded(watch: OpenWatch, { state }: Server): boolean {
  return (
    watch.ended !== undefined ||
    watch.incarnation !== state.incarnation ||
    (!watch.isSilent && !isServed(state, watch.scope.kind))
  );
}

export function hasNews(watch: OpenWatch, { state }: Server): boolean {
  if (watch.isSilent) return false;
  const owes = watch.initial.length > 0 || watch.owesEnd || watch.wantsBookmark;
  return owes || hasLine(state, watch);
}

function answer(watch: OpenWatch, server: Server): readonly Line[] | WatchEnd {
  const { state, stage } = server;
  if (watch.ended !== undefined) return watch.ended;
  if (watch.incarnation !== state.incarnation) return { kind: 'cut', why: 'the server went away' };
  if (hasNews(watch, server)) {
    watch.idleAt = stage.now() + watch.idleMs;
    return spoiled(nextLines(watch, server), server);
  }
  if (!watch.isSilent && !isServed(state, watch.scope.kind)) return { kind: 'closed' };
  return stage.now() >= watch.idleAt ? { kind: 'idle' } : { kind: 'closed' };
}

function nextLines(watch: OpenWatch, { state, dice }: Server): readonly Line[] {
  const max = 1 + dice.below(3);
  if (watch.initial.length > 0) {
    const lines = watch.initial.slice(0, max);
    watch.initial = watch.initial.slice(max);
    return lines;
  }
  const end = endOfInitial(watch, { state, dice });
  const { lines, to } = linesAfter(state, watch, max);
  watch.from = to;
  if (!watch.wantsBookmark) return [...end, ...lines];
  watch.wantsBookmark = false;
  return [...end, ...lines, bookmark(to, false)];
}

/** As an API server does, which waits for its cache to have come so far, and meanwhile goes on to tell. */
function endOfInitial(
  watch: OpenWatch,
  { state, dice }: Pick<Server, 'state' | 'dice'>,
): readonly Line[] {
  if (!watch.owesEnd || (hasLine(state, watch) && dice.chance(0.7))) return [];
  watch.owesEnd = false;
  return [bookmark(watch.from, true)];
}

function bookmark(revision: number, isInitialEnd: boolean): Line {
  return { kind: 'bookmark', resourceVersion: String(revision), isInitialEnd };
}

/** One line that nobody can read, or that is too long. */
function spoiled(lines: readonly Line[], { dice, faults }: Server): readonly Line[] {
  const at = dice.below(lines.length);
  const line = lines[at];
  if (line?.kind !== 'change') return lines;
  if (faults.strikes('line-garbled', 0.03)) {
    return lines.with(at, { kind: 'garbled', why: 'no JSON' });
  }
  if (!faults.strikes('line-oversized', 0.06)) return lines;
  const { namespace, name } = line.object.metadata;
  return lines.with(at, { kind: 'oversized', namespace, name, bytes: 9_000_000 });
}
