import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Settings } from '#shared/domain/settings.ts';
import {
  type ConfigProblems,
  defaultSettings,
  type Loaded,
  loadSettings,
  sayProblem,
  tooLarge,
  unreadable,
} from './load.ts';
import { originalPath, withOriginal } from './original-warden.ts';
import { type Read, readConfig, readText } from './read-file.ts';

export type ConfigSource = {
  /** The newest good configuration. */
  current(): Settings;
  /** Starts at 1 and grows with every change that was taken. */
  generation(): number;
  /** Why the file says something else than what is served; `undefined` while it does not. */
  problem(): string | undefined;
  /** Of what is read and not used. */
  warnings(): readonly string[];
  /** How many changes were refused since the start. */
  refused(): number;
  close(): void;
};

export type ConfigChange =
  | { readonly kind: 'taken'; readonly settings: Settings; readonly generation: number }
  | { readonly kind: 'refused'; readonly problems: ConfigProblems }
  /** A refused change was taken back: the file says again what is served. */
  | { readonly kind: 'restored' }
  /** It is served, and these of its warnings were not there before. */
  | { readonly kind: 'warned'; readonly warnings: readonly string[] };

export type OpenConfig = {
  /** Without one the defaults serve. */
  readonly file: string | undefined;
  readonly onChange: (change: ConfigChange) => void;
  /** The watch can miss a change (a symlink's target elsewhere, a network folder); the poll does not. */
  readonly pollMs?: number;
  /** A change counts when two reads that far apart agree, so that a half-written file does not. */
  readonly settleMs?: number;
};

export type Opened =
  | { readonly ok: true; readonly source: ConfigSource }
  | { readonly ok: false; readonly problems: ConfigProblems };

/** A bad file at the start is refused; a bad change later keeps the last good configuration. */
export function openConfig({ file, onChange, pollMs = 5_000, settleMs = 50 }: OpenConfig): Opened {
  if (file === undefined) return { ok: true, source: fixed(defaultSettings) };

  const read = readConfig(file);
  const loaded = judge(read, file);
  if (!loaded.ok) return loaded;

  const follower = followFrom(read, loaded, { file, onChange });
  const wake = wakeUps(file, { pollMs, settleMs, look: follower.look });
  return { ok: true, source: { ...follower.state, close: wake.close } };
}

export function loadSettingsFile(file: string): Loaded {
  return judge(readConfig(file), file);
}

function fixed(settings: Settings): ConfigSource {
  return {
    current: () => settings,
    generation: () => 1,
    problem: () => undefined,
    warnings: () => [],
    refused: () => 0,
    close: () => undefined,
  };
}

function judge(read: Read, file: string): Loaded {
  if ('text' in read) {
    const loaded = loadSettings(read.text, { file });
    const path = loaded.ok ? originalPath(file, loaded.settings) : undefined;
    if (!loaded.ok || path === undefined) return loaded;
    const { original } = read;
    return withOriginal(loaded, path, original?.path === path ? original : readText(path));
  }
  return read.why === 'too large'
    ? unreadable(file, tooLarge)
    : unreadable(file, { expected: 'a readable file', found: read.why });
}

type Follow = Pick<OpenConfig, 'onChange'> & { readonly file: string };

type Good = Extract<Loaded, { ok: true }>;

function followFrom(start: Read, good: Good, { file, onChange }: Follow) {
  let serving = { settings: good.settings, generation: 1 };
  let warnings = good.warnings ?? [];
  let judged = start;
  let unsettled: Read | undefined;
  let trouble: ConfigProblems | undefined;
  let refused = 0;

  const take = (loaded: Loaded): void => {
    if (!loaded.ok) {
      trouble = loaded.problems;
      refused += 1;
      onChange({ kind: 'refused', problems: loaded.problems });
      return;
    }
    const wasTroubled = trouble !== undefined;
    trouble = undefined;
    const before = warnings;
    warnings = loaded.warnings ?? [];
    if (!isDeepStrictEqual(loaded.settings, serving.settings)) {
      serving = { settings: loaded.settings, generation: serving.generation + 1 };
      onChange({ kind: 'taken', ...serving });
    } else if (wasTroubled) {
      onChange({ kind: 'restored' });
    }
    const added = warnings.filter((each) => !before.includes(each));
    if (added.length > 0) onChange({ kind: 'warned', warnings: added });
  };

  /** Whether it wants to look again soon. */
  const look = (): boolean => {
    const read = readConfig(file, originalPath(file, serving.settings));
    const isNew = !isDeepStrictEqual(read, judged);
    const isSettled = isNew && isDeepStrictEqual(read, unsettled);
    unsettled = isNew && !isSettled ? read : undefined;
    if (isSettled) {
      judged = read;
      take(judge(read, file));
    }
    return unsettled !== undefined;
  };

  const state = {
    current: () => serving.settings,
    generation: () => serving.generation,
    problem: () => trouble && summary(trouble),
    warnings: () => warnings,
    refused: () => refused,
  };
  return { look, state };
}

function summary([first, ...rest]: ConfigProblems): string {
  const more = rest.length === 0 ? '' : ` (and ${rest.length} more)`;
  return `${sayProblem(first)}${more}; the last good configuration is kept`;
}

type WakeUps = {
  readonly pollMs: number;
  readonly settleMs: number;
  readonly look: () => boolean;
};

function wakeUps(file: string, { pollMs, settleMs, look }: WakeUps): { close(): void } {
  let soon: NodeJS.Timeout | undefined;
  const wake = (): void => {
    soon ??= setTimeout(() => {
      soon = undefined;
      if (look()) wake();
    }, settleMs).unref();
  };
  const poll = setInterval(wake, pollMs).unref();
  const watcher = watchFolder(file, wake);
  return {
    close: () => {
      clearTimeout(soon);
      clearInterval(poll);
      watcher?.close();
    },
  };
}

/** The folder, not the file: editors replace files, and the kubelet swaps the link `..data` beside them. */
function watchFolder(file: string, wake: () => void): FSWatcher | undefined {
  try {
    return watch(dirname(file), { persistent: false }, (_, name) => {
      if (name === null || name === basename(file) || name === '..data') wake();
      // Out of watches, or the folder is gone: the poll goes on.
    }).on('error', () => undefined);
  } catch {
    return undefined;
  }
}
