import type { Campaign, KeptCampaign } from '#shared/domain/pod-bootstrap/housekeeping/campaign.ts';
import {
  isKept,
  type Line,
  madeUpMs,
  waitIn,
} from '#shared/domain/pod-bootstrap/housekeeping/pace.ts';
import type { Restarts, Turn } from '#shared/ports.ts';

/** What outlives a process. */
export type RestartShelf = {
  readonly campaigns: Map<string, Shelved>;
  /** Pods by their uids. */
  readonly intents: Map<string, Intent>;
  readonly bundles: Map<string, { readonly hash: string; readonly sinceMs: number }>;
  nextAtMs: number;
};

type Intent = {
  readonly reason: Campaign['reason'];
  readonly atMs: number;
  readonly isEvicted: boolean;
};

type Shelved = {
  readonly campaign: Campaign;
  readonly revision: number;
  /** While one is drawn, and not taken. */
  readonly turnAtMs?: number | undefined;
  readonly changedAtMs: number;
};

export function restartShelf(): RestartShelf {
  return { campaigns: new Map(), intents: new Map(), bundles: new Map(), nextAtMs: 0 };
}

const dayMs = 86_400_000;

export type InMemory = { readonly now: () => number; readonly shelf?: RestartShelf };

export function restartsInMemory({ now, shelf = restartShelf() }: InMemory): Restarts {
  const { campaigns, intents, bundles } = shelf;
  const inMs = (atMs: number | undefined) => (atMs === undefined ? undefined : atMs - now());
  const kept = ({ campaign, revision, turnAtMs, changedAtMs }: Shelved): KeptCampaign => {
    const times = { turnInMs: inMs(turnAtMs), sinceMs: now() - changedAtMs };
    return structuredClone({ ...campaign, revision, ...times });
  };
  const lineFor = (owner: string): Line => {
    const others = [...campaigns.values()].filter(
      ({ campaign }) => campaign.state === 'open' && campaign.owner !== owner,
    );
    const ends = others.flatMap(({ turnAtMs }) => inMs(turnAtMs) ?? []);
    return {
      turnInMs: inMs(campaigns.get(owner)?.turnAtMs),
      freeInMs: shelf.nextAtMs - now(),
      endsInMs: ends.length === 0 ? undefined : Math.max(...ends),
      due: ends.filter((turnInMs) => turnInMs <= 0 && isKept(turnInMs)).length,
    };
  };
  const turnOf = (shelved: Shelved, pauseMs: number): Turn => {
    const { owner } = shelved.campaign;
    const line = lineFor(owner);
    const waitMs = waitIn(line, pauseMs);
    if (waitMs === 0) shelf.nextAtMs = Math.max(shelf.nextAtMs, now() - madeUpMs(line)) + pauseMs;
    const turnAtMs = waitMs === 0 ? undefined : now() + waitMs;
    campaigns.set(owner, { ...shelved, turnAtMs });
    return { waitMs };
  };
  return {
    async find(owner, namespace) {
      const found = campaigns.get(owner);
      return found?.campaign.namespace === namespace ? kept(found) : undefined;
    },
    async listUnsettled() {
      const all = [...campaigns.values()].filter(({ campaign }) => campaign.state !== 'closed');
      return all.map(kept).toSorted((one, other) => (one.owner < other.owner ? -1 : 1));
    },
    async intend(campaign, { revision, pauseMs }) {
      const { owner, intent, reason } = campaign;
      if ((campaigns.get(owner)?.revision ?? 0) !== revision) return undefined;
      const next = { campaign: structuredClone(campaign), revision: revision + 1 };
      campaigns.delete(owner);
      const intended = { reason, atMs: now(), isEvicted: false };
      if (!intents.has(intent.uid)) intents.set(intent.uid, intended);
      return turnOf({ ...next, changedAtMs: now() }, pauseMs);
    },
    async takeTurn(owner, { revision, pauseMs }) {
      const found = campaigns.get(owner);
      if (found?.revision !== revision) return undefined;
      return turnOf({ ...found, revision: revision + 1 }, pauseMs);
    },
    async giveTurnBack(pauseMs) {
      shelf.nextAtMs -= pauseMs;
    },
    async settle(owner, { state, revision }) {
      const found = campaigns.get(owner);
      if (found?.revision !== revision) return false;
      const campaign = { ...found.campaign, state };
      campaigns.set(owner, { ...found, campaign, revision: revision + 1, changedAtMs: now() });
      return true;
    },
    async noteEvicted(pod) {
      const intended = intents.get(pod);
      if (intended !== undefined) intents.set(pod, { ...intended, isEvicted: true });
    },
    async trips() {
      const tripped = [...campaigns.values()].filter((each) => each.campaign.state === 'tripped');
      const places = Map.groupBy(tripped, ({ campaign }) => campaign.namespace);
      return [...places]
        .map(([namespace, each]) => ({
          namespace,
          sinceMs: Math.min(...each.map(({ changedAtMs }) => now() - changedAtMs)),
        }))
        .toSorted((one, other) => (one.namespace < other.namespace ? -1 : 1));
    },
    async ageMs(name, hash) {
      const found = bundles.get(name);
      if (found?.hash === hash) return now() - found.sinceMs;
      bundles.set(name, { hash, sinceMs: now() });
      return 0;
    },
    async tally() {
      forget(shelf, now() - dayMs);
      const evicted = [...intents.values()].filter(({ isEvicted }) => isEvicted);
      const byReason = Map.groupBy(evicted, ({ reason }) => reason);
      return [...byReason]
        .map(([reason, each]) => ({ reason, count: each.length }))
        .toSorted((one, other) => (one.reason < other.reason ? -1 : 1));
    },
  };
}

function forget({ campaigns, intents }: RestartShelf, beforeMs: number): void {
  for (const [uid, { atMs }] of intents) if (atMs < beforeMs) intents.delete(uid);
  for (const [owner, { campaign, changedAtMs }] of campaigns) {
    if (campaign.state === 'closed' && changedAtMs < beforeMs) campaigns.delete(owner);
  }
}
