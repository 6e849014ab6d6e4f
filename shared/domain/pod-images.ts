import { isJsonObject, type Json, type JsonObject } from './json.ts';

export type PodImage = {
  readonly of: 'init-container' | 'container' | 'ephemeral-container' | 'volume';
  /** Of the container or the volume. */
  readonly name: string;
  /** As it stands in the manifest; not parsed. */
  readonly image: string;
  /** Where: what `setAt` takes. */
  readonly path: readonly (string | number)[];
};

const places = [
  { of: 'init-container', list: 'initContainers', below: ['image'] },
  { of: 'container', list: 'containers', below: ['image'] },
  { of: 'ephemeral-container', list: 'ephemeralContainers', below: ['image'] },
  { of: 'volume', list: 'volumes', below: ['image', 'reference'] },
] as const;

/** All images that the kubelet would pull for the pod, image volumes included, in this order. */
export function podImages(pod: JsonObject): readonly PodImage[] {
  const { spec } = pod;
  if (!isJsonObject(spec)) return [];
  const found: PodImage[] = [];
  for (const { of, list, below } of places) {
    itemsOf(spec[list]).forEach((item, index) => {
      const image = below.reduce<Json | undefined>(memberOf, item);
      // The API server refuses a container without one; an image volume may still lack it.
      if (typeof image !== 'string' || image === '') return;
      found.push({ of, name: nameOf(item), image, path: ['spec', list, index, ...below] });
    });
  }
  return found;
}

function itemsOf(list: Json | undefined): readonly Json[] {
  return Array.isArray(list) ? list : [];
}

function nameOf(item: Json): string {
  const name = memberOf(item, 'name');
  return typeof name === 'string' ? name : '';
}

function memberOf(value: Json | undefined, key: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
