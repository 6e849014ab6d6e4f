import type { JsonObject } from '#shared/domain/json.ts';
import { podReview } from '../support/review.ts';
import { ownedOf } from './owned.ts';

const bytes = 30_000;

/**
 * The review of a pod as most that are large are: few containers, each with many variables, and what the API server writes of who
 * wrote them.
 */
export function ordinaryReview(): string {
  const review = JSON.parse(podReview());
  const { spec, metadata } = review.request.object;
  const [first] = spec.containers as readonly [Container];
  for (let variables = 1; sizeOf(review) < bytes - 4 * 250; variables += 1) {
    const named = (name: string) =>
      withVariables({ ...first, name, image: imageOf(name) }, variables);
    spec.initContainers = [named('migrate')];
    spec.containers = [named('api'), named('exporter'), named('proxy')];
    const [owned] = metadata.managedFields;
    owned.fieldsV1['f:spec']['f:initContainers'] = ownedOf(spec.initContainers);
    owned.fieldsV1['f:spec']['f:containers'] = ownedOf(spec.containers);
  }
  metadata.annotations['example.com/filler'] = '';
  metadata.annotations['example.com/filler'] = 'x'.repeat(bytes - sizeOf(review));
  return JSON.stringify(review);
}

type Container = JsonObject & { readonly name: string; readonly env: readonly Variable[] };
type Variable = JsonObject & { readonly name: string };

function imageOf(name: string): string {
  return `registry.example.com/shop/${name}:4`;
}

function withVariables(container: Container, count: number): Container {
  const more = Array.from({ length: count }, (_, index) => ({
    name: `SHOP_SETTING_${index}`,
    value: `what setting ${index} of the shop is in production`,
  }));
  return { ...container, env: [...container.env, ...more] };
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
