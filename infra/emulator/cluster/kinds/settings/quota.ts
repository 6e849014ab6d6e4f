import type { JsonObject } from '#shared/domain/json.ts';
import type { KindRules } from '../kind-rules.ts';
import { all, each, ensured, partOf, when } from '../words/edit.ts';
import { forbidden, invalid, required } from '../words/errors.ts';
import { child, type Errors, items, none, object, type Place, text } from '../words/place.ts';
import { amounts, nanoOf } from '../words/quantity.ts';

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

/** With its defaults, which pods get. */
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
  checks: (at) => items(child(at, 'spec'), 'limits').flatMap(checkedLimit),
};

type Bound = readonly [key: string, words: string];
const least: Bound = ['min', 'min value'];
const most: Bound = ['max', 'max value'];
const asked: Bound = ['defaultRequest', 'default request value'];
const usual: Bound = ['default', 'default value'];

/** Which must not be greater than which, and what of it is shown where. */
const orders: readonly (readonly [lower: Bound, upper: Bound, at: string, shown: string])[] = [
  [least, most, 'min', 'min'],
  [least, asked, 'defaultRequest', 'defaultRequest'],
  [asked, most, 'defaultRequest', 'defaultRequest'],
  [asked, ['default', 'default limit value'], 'defaultRequest', 'defaultRequest'],
  [least, usual, 'default', 'min'],
  [usual, most, 'default', 'max'],
];

function checkedLimit(limit: Place): Errors {
  const names = ['min', 'max', 'defaultRequest', 'default'].flatMap((key) =>
    Object.keys(object(child(limit, key))),
  );
  return [
    ...checkedType(child(limit, 'type')),
    ...checkedOfPod(limit),
    ...unbounded(limit),
    ...[...new Set(names)].toSorted().flatMap((name) =>
      orders.flatMap(([lower, upper, at, shown]) => {
        const value = (key: string) => object(child(limit, key))[name];
        const [low, high] = [value(lower[0]), value(upper[0])];
        if (low === undefined || high === undefined || nanoOf(low) <= nanoOf(high)) return none;
        const why = `${lower[1]} ${String(low)} is greater than ${upper[1]} ${String(high)}`;
        return [invalid({ path: `${child(limit, at).path}[${name}]`, value: value(shown) }, why)];
      }),
    ),
  ];
}

function checkedType(type: Place): Errors {
  const isKnown = ['Pod', 'Container', 'PersistentVolumeClaim'].includes(text(type));
  const why = 'must be a standard limit type or fully qualified';
  return isKnown || text(type) === '' || text(type).includes('/') ? none : [invalid(type, why)];
}

/** A pod as a whole asks for nothing. */
function checkedOfPod(limit: Place): Errors {
  if (text(child(limit, 'type')) !== 'Pod') return none;
  return ['default', 'defaultRequest']
    .map((key) => child(limit, key))
    .filter((each) => Object.keys(object(each)).length > 0)
    .map((each) => forbidden(each, "may not be specified when `type` is 'Pod'"));
}

function unbounded(limit: Place): Errors {
  if (text(child(limit, 'type')) !== 'PersistentVolumeClaim') return none;
  const isBound = ['min', 'max'].some((key) => 'storage' in object(child(limit, key)));
  const why = 'either minimum or maximum storage value is required, but neither was provided';
  return isBound ? none : [required(child(limit, 'limits'), why)];
}
