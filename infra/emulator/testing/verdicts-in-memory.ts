import { isStandingIn, skewMs, type Verdict } from '#shared/domain/image-trust/verdict.ts';
import type {
  Collection,
  ImageFacts,
  KeptAnchor,
  KeptTag,
  VerdictStore,
} from '#shared/domain/image-trust/verdict-store.ts';

/** Milliseconds, of the clock that leases run by. */
type Options = { readonly now?: () => number };

/** What the replicas of one installation know together; `open` for each of them, as each has a connection of its own. */
export function verdictsInMemory({ now = () => performance.now() }: Options = {}) {
  const anchors = new Map<string, KeptAnchor>();
  const parts = {
    ...rowsIn(anchors),
    ...anchorsIn(anchors),
    ...claimsIn(now),
    ...contentsIn(),
  };
  return { open: (): VerdictStore => ({ ...parts }) };
}

export type VerdictsInMemory = ReturnType<typeof verdictsInMemory>;

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
    keep: async ({ key }, verdicts, { root, isChange }) => {
      const kept = rows.get(key) ?? new Map<string, Row>();
      rows.set(key, kept);
      const mayKeep = (verdict: Verdict) => {
        const kind = kept.get(keyOf(verdict))?.verdict.judgement.kind ?? 'trusted';
        return kind === 'trusted' || !isStandingIn(verdict);
      };
      for (const verdict of verdicts.filter(mayKeep)) kept.set(keyOf(verdict), { verdict, root });
      if (isChange) listeners.forEach((heard) => void heard(key));
    },
    onChange: (heard) => void listeners.push(heard),
  };
}

function anchorsIn(anchors: Anchors): Pick<VerdictStore, 'findAnchor' | 'keepAnchor'> {
  return {
    findAnchor: async (collection) => anchors.get(anchorKey(collection)),
    keepAnchor: async (collection, { anchor, root }, revision) => {
      const key = anchorKey(collection);
      if (anchors.get(key)?.revision !== revision) return false;
      anchors.set(key, { anchor, root, revision: (revision ?? 0) + 1 });
      return true;
    },
  };
}

function claimsIn(now: () => number): Pick<VerdictStore, 'claim' | 'release' | 'onRelease'> {
  const claims = new Map<string, { readonly holder: string; readonly until: number }>();
  const listeners: ((collection: string | undefined) => void)[] = [];
  return {
    claim: async ({ key }, holder, leaseMs) => {
      const held = claims.get(key);
      if (held !== undefined && held.holder !== holder && held.until > now()) return false;
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

function contentsIn(): Contents {
  const tags = new Map<string, KeptTag>();
  const facts = new Map<string, ImageFacts>();
  return {
    findTag: async (place) => tags.get(tagKey(place)),
    keepTag: async (place, kept) => {
      const aheadMs = (tags.get(tagKey(place))?.seenAt.getTime() ?? 0) - kept.seenAt.getTime();
      if (aheadMs <= 0 || aheadMs > skewMs) tags.set(tagKey(place), kept);
    },
    findFacts: async (digest) => facts.get(digest),
    keepFacts: async (kept) => void facts.set(kept.digest, kept),
  };
}

function keyOf({ tag, digest }: Pick<Verdict, 'tag' | 'digest'>): string {
  return `${tag ?? ''}@${digest}`;
}

function anchorKey({ server, name, owner }: Collection): string {
  return JSON.stringify([server, name, owner]);
}

function tagKey({ registry, repository, tag }: Parameters<Contents['findTag']>[0]): string {
  return `${registry}/${repository}:${tag}`;
}
