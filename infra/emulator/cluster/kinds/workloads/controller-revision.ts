import type { KindRules } from '../kind-rules.ts';
import { notNegative, required } from '../words/errors.ts';
import { immutable } from '../words/metadata.ts';
import { child, isStated, none } from '../words/place.ts';

/** A state as it once was: its number may change, and nothing else. */
export const controllerRevision: KindRules = {
  checks: (at) => {
    const data = child(at, 'data');
    return [
      ...notNegative(child(at, 'revision')),
      ...(isStated(data) ? none : [required(data, 'data is mandatory')]),
    ];
  },
  changes: (next, before) => immutable(child(next, 'data'), before['data']),
};
