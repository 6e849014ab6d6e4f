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

/** A root may have been taken away since it was asked for; the look that this one serves counts too. */
const keptMs = 10_000 - lookMs;

/** Looked at when somebody asks, so that nothing old is gone by after a quiet hour. */
export function trustFilesOn(reading: Reading): OpenTrustFiles {
  const { clock } = reading;
  const textAt = openReading(reading);
  const said = openTexts();
  let looked = { at: Number.NEGATIVE_INFINITY, key: '' };
  let looking: { readonly key: string; readonly done: Promise<void> } | undefined;

  const wasLookedAt = (key: string) => {
    const age = clock.now().getTime() - looked.at;
    // A clock that was put back makes nothing young.
    return key === looked.key && age >= 0 && age < lookMs;
  };
  const readAll = async (paths: readonly string[], key: string) => {
    const at = clock.now().getTime();
    said.keep(await Promise.all(paths.map(async (path) => [path, await textAt(path)] as const)));
    looked = { at, key };
  };
  return {
    current: said.files,
    look(paths) {
      if (paths.length === 0) return undefined;
      const key = JSON.stringify(paths);
      if (wasLookedAt(key)) return undefined;
      if (looking?.key === key) return looking.done;
      const mine = { key, done: readAll(paths, key) };
      looking = mine;
      return mine.done.finally(() => {
        if (looking === mine) looking = undefined;
      });
    },
  };
}

type Texts = ReadonlyMap<string, string | undefined>;

/** The same object until one of them says something else. */
function openTexts() {
  let texts: Texts = new Map();
  let files = filesOf(texts);
  return {
    files: () => files,
    keep(read: readonly (readonly [string, string | undefined])[]) {
      const isSame =
        read.length === texts.size && read.every(([path, text]) => text === texts.get(path));
      if (isSame) return;
      texts = new Map(read);
      files = filesOf(texts);
    },
  };
}

function filesOf(texts: Texts): TrustFiles {
  const hashes = new Map([...texts].map(([path, text]) => [path, text && sha256(text)]));
  return {
    textOf: (path) => texts.get(path),
    hashOf: (path) => hashes.get(path) ?? 'unread',
  };
}

type UnderWay = { readonly end: Promise<void>; isLate: boolean };

/** One that cannot be read vouches for nothing; one that is slow says for a while what it said last. */
function openReading({ clock, readText }: Reading) {
  const now = () => clock.now().getTime();
  const sayings = openSayings(now);
  // Each read that hangs holds one of the few threads that read all files: one a file.
  const underWay = new Map<string, UnderWay>();
  const patience = { rules: { timeoutMs: patienceMs }, signal: new AbortController().signal };

  const begin = (path: string): UnderWay => {
    const at = now();
    const keep = (text: string | undefined) => {
      sayings.keep(path, text, at);
      underWay.delete(path);
    };
    const begun = { end: readText(path).then(keep, () => keep(undefined)), isLate: false };
    underWay.set(path, begun);
    return begun;
  };
  return async (path: string): Promise<string | undefined> => {
    const kept = sayings.young(path);
    const read = underWay.get(path) ?? begin(path);
    const isLateAgain = kept?.text !== undefined && kept.isSlow;
    if (!read.isLate && !isLateAgain) await inTime(read.end, patience);
    read.isLate = underWay.get(path) === read;
    return sayings.young(path)?.text;
  };
}

/** What a file said, if it could be read, to who asked then. */
type Said = { readonly text: string | undefined; readonly at: number; readonly isSlow: boolean };

function openSayings(now: () => number) {
  const said = new Map<string, Said>();
  return {
    keep(path: string, text: string | undefined, at: number) {
      said.set(path, { text, at, isSlow: now() - at >= patienceMs });
    },
    young(path: string): Said | undefined {
      const found = said.get(path);
      const age = now() - (found?.at ?? Number.NEGATIVE_INFINITY);
      return age >= 0 && age <= keptMs ? found : undefined;
    },
  };
}
