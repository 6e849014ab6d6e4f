import type { TrustFiles } from '#shared/domain/image-trust/trust-files.ts';
import type { Clock } from '#shared/ports.ts';
import { inTime } from './in-time.ts';
import { sha256 } from './sha256.ts';

export type OpenTrustFiles = {
  current(): TrustFiles;
  /** Nothing to wait for where they were looked at a moment ago. */
  look(paths: readonly string[]): Promise<void> | undefined;
};

type Reading = { readonly clock: Clock; readonly readText: (path: string) => Promise<string> };

/** What is taken out of a file must not vouch for long; one look in this time serves all reviews. */
const lookMs = 1_000;

/** A volume whose server is away answers never. */
const patienceMs = 500;

type Texts = ReadonlyMap<string, string | undefined>;

/** Looked at when somebody asks, so that nothing old is gone by after a quiet hour. */
export function trustFilesOn({ clock, readText }: Reading): OpenTrustFiles {
  const textAt = openReading(readText);
  let texts: Texts = new Map();
  let files = filesOf(texts);
  let looked = { at: Number.NEGATIVE_INFINITY, key: '' };
  let looking: { readonly key: string; readonly done: Promise<void> } | undefined;

  const readAll = async (paths: readonly string[], key: string) => {
    const at = clock.now().getTime();
    const read = await Promise.all(paths.map(async (path) => [path, await textAt(path)] as const));
    if (read.length !== texts.size || read.some(([path, text]) => text !== texts.get(path))) {
      texts = new Map(read);
      files = filesOf(texts);
    }
    looked = { at, key };
  };
  return {
    current: () => files,
    look(paths) {
      if (paths.length === 0) return undefined;
      const key = JSON.stringify(paths);
      const age = clock.now().getTime() - looked.at;
      // A clock that was put back makes nothing young.
      if (key === looked.key && age >= 0 && age < lookMs) return undefined;
      if (looking?.key === key) return looking.done;
      const mine = { key, done: readAll(paths, key) };
      looking = mine;
      const end = () => {
        if (looking === mine) looking = undefined;
      };
      return mine.done.finally(end);
    },
  };
}

/** One that cannot be read, or not in time, vouches for nothing until it can: a root may have been taken away. */
function openReading(readText: Reading['readText']) {
  const late = new Set<string>();
  const patience = { rules: { timeoutMs: patienceMs }, signal: new AbortController().signal };
  return async (path: string): Promise<string | undefined> => {
    // Each read that hangs holds one of the few threads that read all files.
    if (late.has(path)) return undefined;
    let isOver = false;
    const read = readText(path).catch(() => undefined);
    const end = () => {
      isOver = true;
      late.delete(path);
    };
    const text = await inTime(read.finally(end), patience);
    if (!isOver) late.add(path);
    return text;
  };
}

function filesOf(texts: Texts): TrustFiles {
  const hashes = new Map([...texts].map(([path, text]) => [path, text && sha256(text)]));
  return {
    textOf: (path) => texts.get(path),
    hashOf: (path) => hashes.get(path) ?? 'unread',
  };
}
