import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import { isStandingIn, type Verdict, wasSeen } from '#shared/domain/image-trust/verdict.ts';
import {
  type Collection,
  type ImageFacts,
  type KeptAnchor,
  type KeptTag,
  mostRootsOfNamespace,
  type Proof,
  refusedQuestion,
  type VerdictStore,
} from '#shared/domain/image-trust/verdict-store.ts';
import type { Clock } from '#shared/ports.ts';
import { isRunning } from './lease-time.ts';

type Options = {
  /** Milliseconds, by which leases run. */
  readonly now?: () => number;
  /** As the database has it. */
  readonly clock?: Clock;
};

const usualClock: Clock = { now: () => new Date() };

/** What the replicas of one installation know together; `open` for each of them, as each has a connection of its own. */
export function verdictsInMemory({
  now = () => performance.now(),
  clock = usualClock,
}: Options = {}) {
  const anchors = new Map<string, KeptAnchor>();
  const parts = {
    ...rowsIn(anchors),
    ...anchorsIn(anchors),
    ...claimsIn(now),
    ...contentsIn(clock),
  };
  return { open: (): VerdictStore => ({ ...parts, ...refusing(parts) }) };
}

export type VerdictsInMemory = ReturnType<typeof verdictsInMemory>;

type Asking = Omit<VerdictStore, 'onChange' | 'onRelease'>;

/** As Postgres has it: no text holds a NUL, and no key is longer than an entry of an index. */
function refusing(store: Asking): Asking {
  const told = <G extends unknown[], T>(
    ask: (...given: G) => Promise<T>,
    textsOf: (...given: G) => readonly string[],
    mostBytes = Number.POSITIVE_INFINITY,
  ) => {
    return async (...given: G): Promise<T> => {
      const texts = textsOf(...given);
      const bytes = Buffer.byteLength(texts.join(''));
      if (bytes > mostBytes || texts.some((text) => text.includes('\0'))) throw refusedQuestion();
      return ask(...given);
    };
  };
  return {
    find: told(store.find, (of, asked) => [...placeOf(of), of.key, ...asked.map(keyOf)]),
    list: told(store.list, ({ key }) => [key]),
    keep: told(store.keep, (of, verdicts) => [
      ...[...placeOf(of), of.key],
      ...verdicts.flatMap((each) => [keyOf(each), ...each.also]),
    ]),
    findAnchor: told(store.findAnchor, placeOf),
    keepAnchor: told(store.keepAnchor, placeOf, longestKey),
    claim: told(store.claim, ({ key }, holder) => [key, holder]),
    release: told(store.release, ({ key }, holder) => [key, holder]),
    findTag: told(store.findTag, (place) => [tagKey(place)]),
    keepTag: told(store.keepTag, (place) => [tagKey(place)], longestKey),
    findFacts: told(store.findFacts, (digest) => [digest]),
    keepFacts: told(store.keepFacts, ({ digest, children }) => [digest, ...children]),
  };
}

/** In bytes; Postgres compresses some that are longer. */
const longestKey = 2_600;

function placeOf({ server, name, owner }: Collection): readonly string[] {
  return [server, name, owner];
}

type Row = { readonly verdict: Verdict; readonly root: string };
type Anchors = Map<string, KeptAnchor>;

function rowsIn(anchors: Anchors): Pick<VerdictStore, 'find' | 'list' | 'keep' | 'onChange'> {
  const rows = new Map<string, Map<string, Row>>();
  const listeners: ((collection: string | undefined) => void)[] = [];
  const rowsOf = ({ key }: Collection) => [...(rows.get(key)?.values() ?? [])];
  const rootOf = (collection: Collection) => anchors.get(anchorKey(collection))?.root ?? '';
  return {
    find: async (collection, asked) => {
      const wanted = new Set(asked.map(keyOf));
      return rowsOf(collection)
        .filter(({ root, verdict }) => root === rootOf(collection) && wanted.has(keyOf(verdict)))
        .map(({ verdict }) => verdict);
    },
    list: async (collection, most) =>
      rowsOf(collection)
        .map(({ verdict }) => verdict)
        .slice(0, most),
    keep: async ({ key }, verdicts, proof) => {
      const kept = rows.get(key) ?? new Map<string, Row>();
      rows.set(key, kept);
      const { root, isChange } = proof;
      const isKept = (verdict: Verdict) => mayReplace(kept.get(keyOf(verdict)), verdict, proof);
      const passedOver = verdicts.filter((verdict) => !isKept(verdict));
      for (const verdict of verdicts.filter(isKept)) {
        kept.set(keyOf(verdict), { verdict: asStored(verdict), root });
      }
      if (isChange) listeners.forEach((heard) => void heard(key));
      return passedOver;
    },
    onChange: (heard) => void listeners.push(heard),
  };
}

function asStored({ judgement, ...verdict }: Verdict): Verdict {
  return { ...verdict, judgement: withTexts(judgement) as Judgement };
}

/** Neither NUL nor half a character. */
function withTexts(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\uFFFD');
  if (Array.isArray(value)) return value.map(withTexts);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withTexts(each)]));
}

function mayReplace(there: Row | undefined, verdict: Verdict, { root, before }: Proof): boolean {
  if (there === undefined || there.verdict.judgement.kind === 'trusted') return true;
  if (isStandingIn(verdict)) return false;
  if (there.verdict.judgement.kind !== 'untrusted' || verdict.judgement.kind === 'untrusted') {
    return true;
  }
  const looked = before.find((each) => keyOf(each) === keyOf(verdict));
  const isSame = looked?.validUntil?.getTime() === there.verdict.validUntil.getTime();
  return looked === undefined || isSame || root !== there.root;
}

function anchorsIn(anchors: Anchors): Pick<VerdictStore, 'findAnchor' | 'keepAnchor'> {
  return {
    findAnchor: async (collection) => anchors.get(anchorKey(collection)),
    keepAnchor: async (collection, { anchor, root }, revision) => {
      const key = anchorKey(collection);
      if (anchors.get(key)?.revision !== revision) return 'overtaken';
      if (revision === undefined && isFull(anchors, collection)) return 'full';
      anchors.set(key, { anchor, root, revision: (revision ?? 0) + 1 });
      return 'kept';
    },
  };
}

function isFull(anchors: Anchors, { owner }: Collection): boolean {
  const end = anchorKeyEnd(owner);
  return (
    owner !== '' &&
    [...anchors.keys()].filter((key) => key.endsWith(end)).length >= mostRootsOfNamespace
  );
}

function claimsIn(now: () => number): Pick<VerdictStore, 'claim' | 'release' | 'onRelease'> {
  const claims = new Map<string, { readonly holder: string; readonly until: number }>();
  const listeners: ((collection: string | undefined) => void)[] = [];
  return {
    claim: async ({ key }, holder, leaseMs) => {
      const held = claims.get(key);
      if (held !== undefined && held.holder !== holder && isRunning(held.until, now()))
        return false;
      claims.set(key, { holder, until: now() + leaseMs });
      return true;
    },
    release: async ({ key }, holder) => {
      if (claims.get(key)?.holder !== holder) return;
      claims.delete(key);
      listeners.forEach((heard) => void heard(key));
    },
    onRelease: (heard) => void listeners.push(heard),
  };
}

type Contents = Pick<VerdictStore, 'findTag' | 'keepTag' | 'findFacts' | 'keepFacts'>;

function contentsIn(clock: Clock): Contents {
  const tags = new Map<string, KeptTag>();
  const facts = new Map<string, ImageFacts>();
  return {
    findTag: async (place) => tags.get(tagKey(place)),
    keepTag: async (place, kept) => {
      const there = tags.get(tagKey(place));
      const isOlder = there === undefined || there.seenAt <= kept.seenAt;
      if (isOlder || !wasSeen(there.seenAt, clock.now())) tags.set(tagKey(place), kept);
    },
    findFacts: async (digest) => facts.get(digest),
    keepFacts: async (kept) => void facts.set(kept.digest, kept),
  };
}

function keyOf({ tag, digest }: Pick<Verdict, 'tag' | 'digest'>): string {
  return `${tag ?? ''}@${digest}`;
}

function anchorKey({ server, name, owner }: Collection): string {
  return `${JSON.stringify([server, name])}${anchorKeyEnd(owner)}`;
}

function anchorKeyEnd(owner: string): string {
  return ` ${JSON.stringify(owner)}`;
}

function tagKey({ registry, repository, tag }: Parameters<Contents['findTag']>[0]): string {
  return `${registry}/${repository}:${tag}`;
}
