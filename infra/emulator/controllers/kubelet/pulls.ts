import { placeOf } from '../shapes/meta.ts';
import type { Pod } from '../shapes/pod.ts';
import { type Fault, type Faults, isLike } from './faults.ts';
import { type ImageFact, pull } from './image.ts';
import type { Life } from './lives.ts';
import type { ResolveImage, ShowLogins, Timings } from './options.ts';
import { backoff } from './step-container.ts';

/** Which images of the pod cannot be pulled: `*`, or a reference in which `*` stands for anything. */
export const failPull = 'emulator.gatehouse.dev/fail-pull';

export type Pulls = {
  /** Begins what the pod's containers need and nobody pulls yet. */
  start(pod: Pod, life: Life, show: ShowLogins): void;
  onPulled(wake: (place: string) => void): void;
};

type Options = {
  readonly resolveImage: ResolveImage | undefined;
  readonly faults: Faults;
  readonly timings: Timings;
};

export function openPulls({ resolveImage, faults, timings }: Options): Pulls {
  let wake = (_: string) => {};
  const pulled = async (image: string, { pod, show }: For): Promise<ImageFact> => {
    const fault = faults.find('pull', image) ?? faultStated(pod, image);
    if (fault === undefined) return pull(image, { resolveImage, show }).catch(failed);
    return { kind: 'failed', reason: 'ErrImagePull', why: fault.why ?? `${image}: not found` };
  };
  const begin = async (image: string, { pod, life, show }: For) => {
    const pulling: ImageFact = { kind: 'pulling' };
    life.images.set(image, pulling);
    const fact = await pulled(image, { pod, life, show });
    // Forgotten meanwhile, since the faults have changed: somebody else pulls.
    if (life.images.get(image) !== pulling) return;
    life.images.set(image, fact);
    if (fact.kind === 'failed') again(image, fact, { life, place: placeOf(pod) });
    wake(placeOf(pod));
  };
  const again = (image: string, fact: ImageFact, { life, place }: Waiting) => {
    const afterMs = backoff(life.failedPulls, timings);
    life.failedPulls += 1;
    const timer = setTimeout(() => {
      if (life.images.get(image) !== fact) return;
      life.images.delete(image);
      wake(place);
    }, afterMs);
    timer.unref();
  };
  return {
    start(pod, life, show) {
      for (const image of imagesOf(pod)) {
        if (!life.images.has(image)) void begin(image, { pod, life, show });
      }
    },
    onPulled(listener) {
      wake = listener;
    },
  };
}

type For = { readonly pod: Pod; readonly life: Life; readonly show: ShowLogins };
type Waiting = { readonly life: Life; readonly place: string };

function faultStated({ metadata }: Pod, image: string): PullFault | undefined {
  const pattern = metadata.annotations?.[failPull];
  if (pattern === undefined || !isLike(image, pattern)) return undefined;
  return { kind: 'pull', image: pattern, why: `${image}: not found, as ${failPull} has it` };
}

type PullFault = Extract<Fault, { readonly kind: 'pull' }>;

function imagesOf({ spec }: Pod): ReadonlySet<string> {
  const { initContainers = [], containers, ephemeralContainers = [] } = spec;
  const all = [...initContainers, ...containers, ...ephemeralContainers];
  return new Set(all.map(({ image }) => image));
}

function failed(cause: unknown): ImageFact {
  const why = cause instanceof Error ? cause.message : String(cause);
  return { kind: 'failed', reason: 'ErrImagePull', why };
}
