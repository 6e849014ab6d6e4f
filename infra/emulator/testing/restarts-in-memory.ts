import type { Campaign, KeptCampaign } from '#shared/domain/pod-bootstrap/housekeeping/campaign.ts';
import type { Restarts } from '#shared/ports.ts';

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
  readonly turnAtMs: number;
  readonly changedAtMs: number;
};

export function restartShelf(): RestartShelf {
  return { campaigns: new Map(), intents: new Map(), bundles: new Map(), nextAtMs: 0 };
}

const dayMs = 86_400_000;

export type InMemory = { readonly now: () => number; readonly shelf?: RestartShelf };

export function restartsInMemory({ now, shelf = restartShelf() }: InMemory): Restarts {
  const { campaigns, intents, bundles } = shelf;
  const kept = ({ campaign, revision, turnAtMs, changedAtMs }: Shelved): KeptCampaign => {
    const times = { waitMs: Math.max(0, turnAtMs - now()), sinceMs: now() - changedAtMs };
    return structuredClone({ ...campaign, revision, ...times });
  };
  return {
    async find(owner) {
      const found = campaigns.get(owner);
      return found && kept(found);
    },
    async listUnsettled() {
      const all = [...campaigns.values()].filter(({ campaign }) => campaign.state !== 'closed');
      return all.map(kept).toSorted((one, other) => (one.owner < other.owner ? -1 : 1));
    },
    async intend(campaign, { revision, pauseMs }) {
      const { owner, intent, reason } = campaign;
      if ((campaigns.get(owner)?.revision ?? 0) !== revision) return undefined;
      const turnAtMs = Math.max(shelf.nextAtMs, now());
      shelf.nextAtMs = turnAtMs + pauseMs;
      const next = { campaign: structuredClone(campaign), revision: revision + 1, turnAtMs };
      campaigns.set(owner, { ...next, changedAtMs: now() });
      const intended = { reason, atMs: now(), isEvicted: false };
      if (!intents.has(intent.uid)) intents.set(intent.uid, intended);
      return { waitMs: turnAtMs - now() };
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
    async bundleAgeMs(name, hash) {
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
