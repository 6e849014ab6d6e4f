import type { Namespace } from '../namespace.ts';
import type { Settings } from '../settings.ts';
import { allow, type Verdict } from '../verdict.ts';
import { trustIn } from './asked-trust.ts';
import type { Finding } from './judgement.ts';
import { type TrustRequest, trustRequestOf, unjudged } from './request.ts';
import { type Requirement, requireTrusted } from './require.ts';
import type { TrustRules } from './rules.ts';
import { imagesIn } from './slots.ts';
import { pullerOf } from './trust-pod.ts';
import { weigh } from './weigh.ts';

type Asked = Parameters<typeof trustRequestOf>[0] & {
  readonly namespace: string;
  readonly dryRun: boolean;
  readonly deadline: AbortSignal;
};

type World = {
  readonly settings: { current(): Settings };
  readonly namespaces: {
    find(name: string): Promise<Namespace | undefined>;
    findLive(name: string): Promise<Namespace | undefined>;
  };
  readonly images: { readonly judge: Ask; readonly recall: Ask };
};

type Ask = (
  images: readonly string[],
  asked: {
    readonly rules: TrustRules;
    readonly pod: ReturnType<typeof pullerOf>;
    readonly isDryRun: boolean;
    readonly signal: AbortSignal;
    readonly withinMs: number;
  },
) => Promise<readonly Finding[]>;

/** Less than the validators' deadline: who is late has not answered. */
const lookMs = 1_500;

/** What the two validators share: they differ in whose namespaces they are for and in what becomes of a pod while we are down. */
export function lastWord(
  review: Asked,
  world: World,
  unpinned: Requirement['unpinned'],
): Verdict | Promise<Verdict> {
  const request = trustRequestOf(review);
  if (request === undefined) return unjudged(review);
  if (request.slots.length > 0) return lastWordOn(request, review, { ...world, unpinned });
  const { digests } = world.settings.current().imageTrust;
  return requireTrusted(request.pod, [], { findings: [], isStrict: true, digests, unpinned });
}

async function lastWordOn(
  request: TrustRequest,
  review: Asked,
  world: World & Pick<Requirement, 'unpinned'>,
): Promise<Verdict> {
  const { settings, namespaces, images, unpinned } = world;
  const { imageTrust } = settings.current();
  const trust = await trustIn(namespaces, review.namespace, imageTrust);
  if (trust.kind === 'off') return allow();

  const { pod, slots } = request;
  const brought = imagesIn(slots);
  const { dryRun: isDryRun, deadline, namespace } = review;
  const time = { signal: deadline, withinMs: lookMs };
  // Of a dry run nothing is kept that could be recalled.
  const ask = isDryRun ? images.judge : images.recall;
  const weighed = await weigh(brought, trust, (rules) =>
    ask(brought, { rules, pod: pullerOf(pod, namespace), isDryRun, ...time }),
  );
  return requireTrusted(pod, slots, { ...weighed, digests: imageTrust.digests, unpinned });
}
