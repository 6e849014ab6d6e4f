import type { JsonObject } from '#shared/domain/json.ts';
import { podReview } from '../support/review.ts';

const bytes = 30_000;

/** The same review of a pod with many containers, each like the one of the small pod. */
export function largeReview(): string {
  const review = JSON.parse(podReview());
  const { spec } = review.request.object;
  const [first] = spec.containers as readonly [JsonObject];
  const named = (name: string) => ({
    ...first,
    name,
    image: `registry.example.com/shop/${name}:4`,
  });
  spec.initContainers = [named('migrate'), named('warm-up')];
  for (let count = 1; sizeOf(review) < bytes - sizeOf(named('sidecar-10')); count += 1) {
    spec.containers.push(named(`sidecar-${count}`));
  }
  review.request.object.metadata.annotations['example.com/filler'] = '';
  const missing = bytes - sizeOf(review);
  review.request.object.metadata.annotations['example.com/filler'] = 'x'.repeat(missing);
  return JSON.stringify(review);
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
