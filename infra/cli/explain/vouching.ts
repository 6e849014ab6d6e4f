import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import type { Outside } from '#shared/domain/outside.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { ImageJudge, Ports } from '#shared/ports.ts';
import { once } from '#shared/runtime/once.ts';
import { judgedBy } from '../image/judged.ts';
import type { Judged } from '../image/report.ts';

export type Vouching = {
  readonly images: ImageJudge;
  /** What was found out since the last time. */
  take(): readonly Judged[];
  close(): Promise<void>;
};

type Sources = Pick<Ports, 'bootstrapDocument'> & {
  readonly settings: Settings;
  /** The world's own where it is left out; tests hand in theirs. */
  readonly outside?: Outside | undefined;
};

/** Registries and Notaries are asked as at an admission, but without pull secrets; each root is seen for the first time. */
export function openVouching({ settings, ...sources }: Sources): Vouching {
  let heard: readonly Judged[] = [];
  const judge = once(async () => {
    const { imageTrust } = await import('#shared/runtime/image-trust.ts');
    return imageTrust({
      ...sources,
      settings: { current: () => settings },
      clock: { now: () => new Date() },
      cluster: { find: async () => undefined },
      store: verdictsInMemory().open(),
    });
  });
  const listening =
    (how: 'judge' | 'recall'): ImageJudge['judge'] =>
    async (images, asked) => {
      const open = await judge.get();
      const found = await open[how](images, asked);
      const judged = await Promise.all(found.map((each) => judgedBy(open, each, asked.rules)));
      // The last word is about what was pinned; of what was asked about twice, the later answer counts.
      const again = new Set(found.map(({ image }) => image));
      heard = [...heard.filter(({ image }) => !again.has(image)), ...judged];
      return found;
    };
  return {
    images: { judge: listening('judge'), recall: listening('recall') },
    take() {
      const taken = heard;
      heard = [];
      return taken;
    },
    close: async () => (await judge.known())?.close(),
  };
}
