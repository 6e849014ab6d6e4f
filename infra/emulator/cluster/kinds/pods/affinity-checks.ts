import { forbidden, invalid, required, says } from '../words/errors.ts';
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName } from '../words/names.ts';
import {
  type Check,
  child,
  type Errors,
  isEmpty,
  isStated,
  items,
  none,
  number,
  type Place,
  text,
} from '../words/place.ts';
import { checkedSelector } from '../words/selector.ts';
import { checkedKeys } from './scheduling-checks.ts';

export function checkedAffinity(at: Place): Errors {
  const node = child(at, 'nodeAffinity');
  return [
    ...checkedNodeSelector(child(node, 'requiredDuringSchedulingIgnoredDuringExecution')),
    ...items(node, 'preferredDuringSchedulingIgnoredDuringExecution').flatMap(weighted(preferred)),
    ...['podAffinity', 'podAntiAffinity'].flatMap((key) => checkedPodAffinity(child(at, key))),
  ];
}

/** Weights and what they weigh. */
function weighted(check: Check): Check {
  return (at) => {
    const weight = child(at, 'weight');
    const isFitting = number(weight) >= 1 && number(weight) <= 100;
    return [
      ...(isFitting ? none : [invalid(weight, 'must be in the range 1-100', number(weight))]),
      ...check(at),
    ];
  };
}

const preferred: Check = (at) => checkedTerm(child(at, 'preference'), false);

function checkedNodeSelector(at: Place): Errors {
  if (!isStated(at)) return none;
  const terms = items(at, 'nodeSelectorTerms');
  return terms.length === 0
    ? [required(child(at, 'nodeSelectorTerms'), 'must have at least one node selector term')]
    : terms.flatMap((term) => checkedTerm(term, true));
}

function checkedTerm(at: Place, areValuesChecked: boolean): Errors {
  return [
    ...items(at, 'matchExpressions').flatMap((each) => [
      ...checkedNodeOperator(each),
      ...says(qualifiedName)(child(each, 'key')),
      ...(areValuesChecked ? items(each, 'values').flatMap(says(labelValue)) : none),
    ]),
    ...items(at, 'matchFields').flatMap(checkedFieldRequirement),
  ];
}

function checkedNodeOperator(at: Place): Errors {
  const [operator, values] = [child(at, 'operator'), child(at, 'values')];
  const count = items(at, 'values').length;
  switch (text(operator)) {
    case 'In':
    case 'NotIn':
      return count > 0
        ? none
        : [required(values, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return count === 0
        ? none
        : [forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      return count === 1
        ? none
        : [required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalid(operator, 'not a valid selector operator', text(operator))];
  }
}

function checkedFieldRequirement(at: Place): Errors {
  const [operator, key, values] = [child(at, 'operator'), child(at, 'key'), child(at, 'values')];
  const all = items(at, 'values');
  const one = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
  return [
    ...(['In', 'NotIn'].includes(text(operator))
      ? all.length === 1
        ? none
        : [required(values, one)]
      : [invalid(operator, 'not a valid selector operator', text(operator))]),
    ...(text(key) === 'metadata.name'
      ? all.flatMap(says(dnsSubdomain))
      : [invalid(key, 'not a valid field selector key', text(key))]),
  ];
}

function checkedPodAffinity(at: Place): Errors {
  return [
    ...items(at, 'requiredDuringSchedulingIgnoredDuringExecution').flatMap(checkedPodTerm),
    ...items(at, 'preferredDuringSchedulingIgnoredDuringExecution').flatMap(
      weighted((each) => checkedPodTerm(child(each, 'podAffinityTerm'))),
    ),
  ];
}

const checkedPodTerm: Check = (at) => {
  const topology = child(at, 'topologyKey');
  return [
    ...checkedSelector(child(at, 'labelSelector')),
    ...checkedSelector(child(at, 'namespaceSelector')),
    ...items(at, 'namespaces').flatMap(({ value }) =>
      says(dnsLabel)({ path: `${at.path}.namespace`, value }),
    ),
    ...['matchLabelKeys', 'mismatchLabelKeys'].flatMap((key) => checkedKeys(at, key)),
    ...(isEmpty(topology) ? [required(topology, 'can not be empty')] : none),
    ...says(qualifiedName)(topology),
  ];
};
