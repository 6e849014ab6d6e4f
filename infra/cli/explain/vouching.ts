import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import type { Outside } from '#shared/domain/outside.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { ImageJudge, Ports } from '#shared/ports.ts';
import { once } from '#shared/runtime/once.ts';
import { openForgetful } from '../image/ground.ts';
import { judgedBy } from '../image/judged.ts';
import type { Judged } from '../image/report.ts';
import type { Unheard } from '../image/unheard.ts';

export type Vouching = {
  readonly images: ImageJudge;
  /** What was found out since the last time, and who did not answer. */
  take(): Promise<{ readonly images: readonly Judged[]; readonly unheard: readonly Unheard[] }>;
  close(): Promise<void>;
};

type Sources = Pick<Ports, 'bootstrapDocument'> & {
  readonly settings: Settings;
  /** A Docker configuration, in place of pull secrets: of a cluster's there are none. */
  readonly login: string | undefined;
  readonly progress: ((line: string) => void) | undefined;
  /** The world's own where it is left out; tests hand in theirs. */
  readonly outside?: Outside | undefined;
};

/** Registries and Notaries are asked as at an admission; each root is seen for the first time. */
export function openVouching({ progress, outside, ...ground }: Sources): Vouching {
  let heard: readonly Judged[] = [];
  const open = once(() =>
    openForgetful({ ...ground, databaseUrl: undefined, ...(outside && { outside }) }, progress),
  );
  const listening =
    (how: 'judge' | 'recall'): ImageJudge['judge'] =>
    async (images, asked) => {
      const { judge, pod = asked.pod } = await open.get();
      const found = await judge[how](images, { ...asked, pod });
      const judged = await Promise.all(found.map((each) => judgedBy(judge, each, asked.rules)));
      heard = latest([...heard, ...judged]);
      return found;
    };
  return {
    images: { judge: listening('judge'), recall: listening('recall') },
    async take() {
      const images = heard;
      heard = [];
      progress?.('');
      return { images, unheard: (await open.known())?.unheard() ?? [] };
    },
    close: async () => (await open.known())?.[Symbol.asyncDispose](),
  };
}

/** Of what was asked about twice the later answer counts; what was pinned is what was asked about before. */
function latest(judged: readonly Judged[]): readonly Judged[] {
  const byImage = new Map(judged.map((each) => [each.image, each]));
  return [...byImage.values()].filter(({ image, judgement }) => {
    const unpinned = byImage.get(image.replace(/@[^@]*$/, ''));
    return (
      unpinned === undefined || unpinned.image === image || !isSame(unpinned.judgement, judgement)
    );
  });
}

function isSame(one: Judgement, other: Judgement): boolean {
  return one.kind === 'trusted' && other.kind === 'trusted' && one.digest === other.digest;
}
