import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { Happening } from '../happening.ts';
import { tenths } from '../tenths.ts';
import type { Seen } from './host.ts';

/** A line for each function that a review was put to; `cluster` is the settings' name of it. */
export function reviewsOf({ asked, steps }: Seen, cluster: string, at: Date): readonly Happening[] {
  const { resource, review } = asked;
  const { group, resource: plural } = resource;
  const object = {
    ...{ cluster, group, resource: plural, namespace: review.namespace },
    ...namedIn(review.operation === 'DELETE' ? (review.old ?? {}) : review.object),
  };
  return steps.map(({ function: { name }, answered, why, ms }) => ({
    kind: 'review',
    at: at.toISOString(),
    function: name,
    operation: review.operation,
    object,
    answered,
    why: why === '' ? undefined : why,
    ms: tenths(ms),
  }));
}

/** What a controller makes has no name before it is stored. */
function namedIn({ metadata }: JsonObject) {
  const { name, generateName, uid = '' } = isJsonObject(metadata) ? metadata : {};
  return { name: String(name ?? `${generateName ?? ''}…`), uid: String(uid) };
}
