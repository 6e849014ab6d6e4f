import { below } from '../json-pointer.ts';
import { podImages } from '../pod-images.ts';
import type { Change } from '../verdict.ts';
import type { Configuration } from './configuration.ts';
import type { BootPod } from './pod.ts';

/** What is asked: to make a pod, to change its images, or to give it ephemeral containers. */
export type Request =
  | { readonly kind: 'create' }
  | { readonly kind: 'update' | 'ephemeral'; readonly old: BootPod };

type Image = ReturnType<typeof podImages>[number];

/** Those that this very request brings: the others run already, and the API server would refuse any change of them. */
export function imagesBrought(pod: BootPod, request: Request): readonly Image[] {
  const images = podImages(pod);
  switch (request.kind) {
    case 'create':
      return images;
    case 'update': {
      const before = imagesBefore(request.old);
      return images.filter((each) => isContainer(each) && isOther(each, before.get(nameOf(each))));
    }
    case 'ephemeral': {
      const before = imagesBefore(request.old);
      return images.filter(
        (each) => each.of === 'ephemeral-container' && !before.has(nameOf(each)),
      );
    }
  }
}

/** Several of a name the API server refuses; until it does, none of them may be mistaken for new. */
function imagesBefore(old: BootPod): ReadonlyMap<string, readonly string[]> {
  const byName = Map.groupBy(podImages(old), nameOf);
  return new Map([...byName].map(([name, each]) => [name, each.map(({ image }) => image)]));
}

function nameOf({ of, name }: Image): string {
  return `${of} ${name}`;
}

function isContainer({ of }: Image): boolean {
  return of === 'container' || of === 'init-container';
}

function isOther({ image }: Image, before: readonly string[] | undefined): boolean {
  return before?.includes(image) === false;
}

export function imageChanges(
  images: readonly Image[],
  rewritten: Configuration['rewritten'],
  who: string,
): readonly Change[] {
  const why = `its registry is rewritten (${who})`;
  const changes: Change[] = [];
  for (const { image, path } of images) {
    const value = rewritten(image);
    if (value === undefined) continue;
    changes.push({ op: 'replace', path: path.reduce<string>(below, ''), value, why });
  }
  return changes;
}
