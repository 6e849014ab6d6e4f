import type { Namespace } from '../namespace.ts';
import type { Settings } from '../settings.ts';
import { allow, type Verdict } from '../verdict.ts';
import { trustIn } from './asked-trust.ts';
import type { Finding } from './judgement.ts';
import { type TrustRequest, trustRequestOf, unjudged } from './request.ts';
import { type Requirement, requireTrusted } from './require.ts';
import type { TrustMode, TrustRules } from './rules.ts';
import { imagesIn } from './slots.ts';
import { wasAsked } from './standing.ts';
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

/** Of the validators' deadline, for the answer itself: who is late has not answered. */
const [deadlineMs, reserveMs] = [2_000, 500];

/** In which they differ: whose namespaces they are for, and what becomes of a pod while we are down. */
export type LastWord = Pick<Requirement, 'unpinned'> & { readonly mode: TrustMode };

/** What the two validators share. */
export function lastWord(review: Asked, world: World, own: LastWord): Verdict | Promise<Verdict> {
  const request = trustRequestOf(review);
  if (request === undefined) return unjudged(review);
  if (request.slots.length > 0) return lastWordOn(request, review, { ...world, ...own });
  const { digests } = world.settings.current().imageTrust;
  return requireTrusted(request.pod, [], {
    findings: [],
    isStrict: true,
    digests,
    unpinned: own.unpinned,
  });
}

async function lastWordOn(
  request: TrustRequest,
  review: Asked,
  world: World & LastWord,
): Promise<Verdict> {
  const { settings, namespaces, images, mode, unpinned } = world;
  const until = performance.now() + timeFor(settings.current());
  const { imageTrust } = settings.current();
  const trust = await trustIn(namespaces, review.namespace, imageTrust, mode);
  if (trust.kind === 'off') return allow();

  const { pod, slots } = request;
  const brought = imagesIn(slots);
  const { dryRun: isDryRun, deadline: signal, namespace } = review;
  const weighed = await weigh(brought, trust, (rules) => {
    const asked = { rules, pod: pullerOf(pod, namespace), isDryRun, signal };
    return findingsOn(brought, images, { asked, until });
  });
  return requireTrusted(pod, slots, { ...weighed, digests: imageTrust.digests, unpinned });
}

type Asking = { readonly asked: Omit<Parameters<Ask>[1], 'withinMs'>; readonly until: number };

/** From what is known. Who was not asked yet is asked now: a sidecar came after us, or nobody could tell us what was found. */
async function findingsOn(
  brought: readonly string[],
  { judge, recall }: World['images'],
  { asked, until }: Asking,
): Promise<readonly Finding[]> {
  const inTime = () => ({ ...asked, withinMs: Math.max(0, Math.floor(until - performance.now())) });
  // Of a dry run nothing is kept that could be recalled.
  const known = asked.isDryRun ? [] : (await recall(brought, inTime())).filter(wasAsked);
  const found = new Set(known.map(({ image }) => image));
  const unasked = brought.filter((image) => !found.has(image));
  return unasked.length === 0 ? known : [...known, ...(await judge(unasked, inTime()))];
}

function timeFor({ server }: Settings): number {
  return Math.min(deadlineMs, server.timeoutSeconds * 1_000) - reserveMs;
}
