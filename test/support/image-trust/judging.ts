import { clockAt, type StoppedClock } from '#infra/emulator/testing/clock-at.ts';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { type Partly, settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import { usualRoles } from '#shared/domain/image-trust/tuf/trust.ts';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { ImageJudge, ImagesAsked } from '#shared/ports.ts';
import { type ImageTrustParts, imageTrust } from '#shared/runtime/image-trust.ts';
import { notary, type TrustWorld, trustWorld } from './trust-world.ts';

export const rules: TrustRules = {
  verifiers: [{ kind: 'notary', url: notary, reach: 'internal', roles: usualRoles }],
  need: 'either',
  registries: [],
  allowed: [],
  owner: 'platform',
  timeoutMs: 5_000,
};

export type Replica = ImageJudge & {
  one(image: string, more?: Partial<ImagesAsked>): Promise<Judgement>;
  remember(image: string, more?: Partial<ImagesAsked>): Promise<Judgement>;
};

export type Stage = {
  readonly world: TrustWorld;
  readonly clock: StoppedClock;
  readonly settings: ReturnType<typeof settingsFixed>;
  readonly cluster: ReturnType<typeof clusterInMemory>;
  /** A replica of its own, on what all know together. */
  replica(store?: VerdictStore): Replica;
};

/** Production's judge before a world that answers as it is told. */
export function stage(
  config: Partly<Settings> = {},
  opened?: () => VerdictStore,
  times: Pick<ImageTrustParts, 'boundMs' | 'patienceMs' | 'readText' | 'threw'> = {},
): Stage {
  const world = trustWorld();
  const clock = clockAt('2030-01-01T00:00:00Z');
  const open = opened ?? verdictsInMemory({ clock }).open;
  const settings = settingsFixed(config);
  const cluster = clusterInMemory();
  return {
    ...{ world, clock, settings, cluster },
    replica(store = open()) {
      const bootstrapDocument = { current: async () => undefined };
      const { outside } = world;
      const parts = { settings, clock, cluster, bootstrapDocument, store, outside };
      const judge = imageTrust({ ...parts, ...times });
      return { ...judge, one: only(judge.judge), remember: only(judge.recall) };
    },
  };
}

function only(ask: ImageJudge['judge']) {
  return async (image: string, more: Partial<ImagesAsked> = {}): Promise<Judgement> => {
    const { signal } = new AbortController();
    const [finding] = await ask([image], { rules, isDryRun: false, signal, ...more });
    if (finding === undefined) throw new Error('no finding');
    return finding.judgement;
  };
}
