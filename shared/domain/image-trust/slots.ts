import type { JsonObject } from '../json.ts';
import { type PodImage, podImages } from '../pod-images.ts';

type Specified = { readonly spec: JsonObject };

/**
 * Of a new pod, all images. Of an update, each slot whose image is another one than the same slot had, or that is new.
 * Labels say nothing here: whoever may update the pod may write them.
 */
export function slotsToVerify(pod: Specified, old: Specified | undefined): readonly PodImage[] {
  const slots = podImages(pod);
  if (old === undefined) return slots;
  const before = Map.groupBy(podImages(old), slotName);
  return slots.filter((slot) => {
    const [known, ...others] = before.get(slotName(slot)) ?? [];
    // Several of one name the API server refuses; until it does, none of them vouches for another.
    return known === undefined || others.length > 0 || known.image !== slot.image;
  });
}

export function imagesIn(slots: readonly PodImage[]): readonly string[] {
  return [...new Set(slots.map(({ image }) => image))];
}

function slotName({ of, name }: PodImage): string {
  return `${of} ${name}`;
}
