import type { KindRules } from '../kind-rules.ts';
import { ensured } from '../words/edit.ts';
import { invalid } from '../words/errors.ts';
import { child, type Errors, isStated, none, number, type Place } from '../words/place.ts';

export const lease: KindRules = {
  defaults: ensured('spec'),
  hasFreeFinalizers: true,
  checks: (at) => {
    const spec = child(at, 'spec');
    return [
      ...atLeast(child(spec, 'leaseDurationSeconds'), 1, 'must be greater than 0'),
      ...atLeast(child(spec, 'leaseTransitions'), 0, 'must be greater than or equal to 0'),
    ];
  },
};

function atLeast(at: Place, least: number, why: string): Errors {
  return isStated(at) && number(at) < least ? [invalid(at, why)] : none;
}
