import type { KindRules } from '../kind-rules.ts';
import { all, each, ensured, preset } from '../words/edit.ts';
import { invalid, oneOf } from '../words/errors.ts';
import { child, type Errors, ifNone, isStated, none, type Place } from '../words/place.ts';
import { checkedSelector } from '../words/selector.ts';
import { atMostAll, checkedCounts, checkedIntOrPercent } from './template.ts';

const noughts = {
  disruptionsAllowed: 0,
  currentHealthy: 0,
  desiredHealthy: 0,
  expectedPods: 0,
} as const;

/** Conditions of this form say nothing rather than not to speak. */
const said = each('conditions', preset({ message: '' }));

export const budget: KindRules = {
  defaults: all(ensured('spec'), ensured('status', all(preset(noughts), said))),
  status: noughts,
  counts: ['spec'],
  checks: (at) => checkedSpec(child(at, 'spec')),
  statusChecks: (status) => checkedCounts(status, Object.keys(noughts)),
};

function checkedSpec(spec: Place): Errors {
  const [least, most] = [child(spec, 'minAvailable'), child(spec, 'maxUnavailable')];
  const policy = child(spec, 'unhealthyPodEvictionPolicy');
  const isBoth = isStated(least) && isStated(most);
  return [
    ...(isBoth
      ? [invalid(spec, 'minAvailable and maxUnavailable cannot be both set', shown(spec))]
      : none),
    ...[least, most]
      .filter(isStated)
      .flatMap((at) => [...checkedIntOrPercent(at), ...atMostAll(at)]),
    ...checkedSelector(child(spec, 'selector')),
    ...(isStated(policy) ? oneOf(policy, ['AlwaysAllow', 'IfHealthyBudget']) : none),
  ];
}

/** As the real server prints its own form of a budget. */
function shown(spec: Place) {
  return {
    MinAvailable: ifNone(child(spec, 'minAvailable')),
    Selector: ifNone(child(spec, 'selector')),
    MaxUnavailable: ifNone(child(spec, 'maxUnavailable')),
    UnhealthyPodEvictionPolicy: ifNone(child(spec, 'unhealthyPodEvictionPolicy')),
  };
}
