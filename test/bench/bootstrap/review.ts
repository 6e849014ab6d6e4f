import type { JsonObject } from '#shared/domain/json.ts';
import { podReview } from '../support/review.ts';
import { ownedOf } from './owned.ts';

const bytes = 30_000;

type Container = JsonObject & { readonly name: string };

/** The same review of a pod with many containers, each like the one of the small pod, and as an API server says who wrote them. */
export function largeReview(): string {
  const review = JSON.parse(podReview());
  const { metadata, spec } = review.request.object;
  const [first] = spec.containers as readonly [Container];
  const named = (name: string) => ({
    ...first,
    name,
    image: `registry.example.com/shop/${name}:4`,
  });
  spec.initContainers = [named('migrate'), named('warm-up')];
  const owned = metadata.managedFields[0].fieldsV1['f:spec'];
  owned['f:initContainers'] = ownedOf(spec.initContainers);
  for (let count = 1; sizeOf(review) < bytes - sizeOfOne(named('sidecar-10')); count += 1) {
    spec.containers.push(named(`sidecar-${count}`));
    owned['f:containers'] = ownedOf(spec.containers);
  }
  metadata.annotations['example.com/filler'] = '';
  const missing = bytes - sizeOf(review);
  metadata.annotations['example.com/filler'] = 'x'.repeat(missing);
  return JSON.stringify(review);
}

/** With what is said of who wrote it. */
function sizeOfOne(container: Container): number {
  return sizeOf(container) + sizeOf(ownedOf([container]));
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
