import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import { type Ground, openImages } from './ground.ts';
import { judgedBy } from './judged.ts';
import type { Judged } from './report.ts';
import type { Unheard } from './unheard.ts';

export type Verifying = Ground & {
  readonly rules: TrustRules;
  readonly progress: ((line: string) => void) | undefined;
};

export type Verified = { readonly judged: Judged; readonly unheard: readonly Unheard[] };

/** As a dry run: nothing is planted. */
export async function verifyImage(image: string, verifying: Verifying): Promise<Verified> {
  const { rules, progress } = verifying;
  await using images = await openImages(verifying, progress);
  const { signal } = new AbortController();
  const { pod } = images;
  const [finding] = await images.judge.judge([image], { rules, pod, isDryRun: true, signal });
  progress?.('');
  if (finding === undefined) throw new Error('nothing was found out');
  const judged = await judgedBy(images.judge, finding, rules);
  return { judged, unheard: images.unheard() };
}
