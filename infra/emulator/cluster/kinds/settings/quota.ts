import type { JsonObject } from '#shared/domain/json.ts';
import type { KindRules } from '../kind-rules.ts';
import { all, each, ensured, partOf, when } from '../words/edit.ts';
import { amounts } from '../words/quantity.ts';

/** Stored, and that is all: nothing counts what a namespace uses. */
export const resourceQuota: KindRules = {
  defaults: all(ensured('spec', amounts('hard')), ensured('status', amounts('hard', 'used'))),
  status: {},
};

function filledIn(item: JsonObject): JsonObject {
  const limits = { ...partOf(item, 'max'), ...partOf(item, 'default') };
  const requests = { ...partOf(item, 'min'), ...limits, ...partOf(item, 'defaultRequest') };
  return {
    ...item,
    ...(Object.keys(limits).length === 0 ? {} : { default: limits }),
    ...(Object.keys(requests).length === 0 ? {} : { defaultRequest: requests }),
  };
}

/** Stored, with its defaults, which pods get; nothing holds them to the least and the most. */
export const limitRange: KindRules = {
  defaults: ensured(
    'spec',
    each(
      'limits',
      all(
        amounts('max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'),
        when(({ type }) => type === 'Container', filledIn),
      ),
    ),
  ),
};
