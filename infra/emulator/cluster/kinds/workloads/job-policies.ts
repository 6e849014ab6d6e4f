import { isList } from '#shared/domain/json.ts';
import { all, type Edit, each, inside, preset } from '../words/edit.ts';
import {
  duplicate,
  inOwnForm,
  invalid,
  notNegative,
  notSupported,
  required,
  tooMany,
  unfit,
} from '../words/errors.ts';
import { qualifiedName } from '../words/names.ts';
import {
  child,
  type Errors,
  isStated,
  items,
  itemsAt,
  none,
  number,
  type Place,
  text,
} from '../words/place.ts';
import { countedIndexes } from './index-intervals.ts';

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'] as const;
const operators = ['In', 'NotIn'] as const;
const statuses = ['False', 'True', 'Unknown'] as const;
const [mostRules, mostValues] = [20, 255];

/** A condition that is named alone is meant to hold. */
export const failurePolicy: Edit = inside(
  'podFailurePolicy',
  each('rules', all(each('onPodConditions', preset({ status: 'True' })))),
);

export function checkedFailurePolicy(spec: Place): Errors {
  const rules = items(child(spec, 'podFailurePolicy'), 'rules');
  return [
    ...atMost(child(spec, 'podFailurePolicy', 'rules'), mostRules),
    ...rules.flatMap((rule) => checkedFailureRule(rule, spec)),
  ];
}

function checkedFailureRule(rule: Place, spec: Place): Errors {
  const [codes, conditions] = [child(rule, 'onExitCodes'), items(rule, 'onPodConditions')];
  const isByCodes = isStated(codes);
  const isByConditions = conditions.length > 0;
  return [
    ...checkedAction(child(rule, 'action'), spec),
    ...(isByCodes ? checkedExitCodes(codes, spec) : none),
    ...conditions.flatMap(checkedCondition),
    ...(isByCodes && isByConditions
      ? [unfit(rule, 'specifying both OnExitCodes and OnPodConditions is not supported')]
      : none),
    ...(isByCodes || isByConditions
      ? none
      : [unfit(rule, 'specifying one of OnExitCodes and OnPodConditions is required')]),
  ];
}

function checkedAction(action: Place, spec: Place): Errors {
  if (text(action) !== 'FailIndex') return oneOfNamed(action, actions);
  return isStated(child(spec, 'backoffLimitPerIndex'))
    ? none
    : [invalid(action, 'requires the backoffLimitPerIndex to be set')];
}

function checkedExitCodes(codes: Place, spec: Place): Errors {
  const [operator, name, values] = [
    child(codes, 'operator'),
    child(codes, 'containerName'),
    child(codes, 'values'),
  ];
  const each = itemsAt(values);
  const isOrdered = each.every(
    (at, index) => index === 0 || number(each[index - 1] ?? at) <= number(at),
  );
  return [
    ...oneOfNamed(operator, operators),
    ...(isStated(name) && !containersOf(spec).includes(text(name))
      ? [invalid(name, 'must be one of the container or initContainer names in the pod template')]
      : none),
    ...(each.length === 0 ? [invalid(values, 'at least one value is required', [])] : none),
    ...atMost(values, mostValues),
    ...each.flatMap((at, index) => [
      ...(text(operator) === 'In' && number(at) === 0
        ? [invalid(at, 'must not be 0 for the In operator')]
        : none),
      ...(each.slice(0, index).some(({ value }) => value === at.value) ? [duplicate(at)] : none),
    ]),
    ...(isOrdered ? none : [invalid(values, 'must be ordered')]),
  ];
}

function containersOf(spec: Place): readonly string[] {
  const pod = child(spec, 'template', 'spec');
  return ['containers', 'initContainers']
    .flatMap((key) => items(pod, key))
    .map((container) => text(child(container, 'name')));
}

function checkedCondition(pattern: Place): Errors {
  const type = child(pattern, 'type');
  return [
    ...qualifiedName(text(type)).map((complaint) => invalid(type, complaint, text(type))),
    ...oneOfNamed(child(pattern, 'status'), statuses),
  ];
}

/** One that is left out is told what there is. */
function oneOfNamed(at: Place, values: readonly string[]): Errors {
  if (text(at) === '')
    return [
      required(at, `valid values: [${values.map((each) => JSON.stringify(each)).join(' ')}]`),
    ];
  return values.includes(text(at)) ? none : [notSupported(at, values)];
}

function atMost(at: Place, most: number): Errors {
  const found = isList(at.value) ? at.value.length : 0;
  return found > most ? [tooMany(at, found, most)] : none;
}

/** Which of its indexes make a job a success before all have come. */
export function checkedSuccessPolicy(spec: Place): Errors {
  const policy = child(spec, 'successPolicy');
  if (!isStated(policy)) return none;
  const rules = items(policy, 'rules');
  if (text(child(spec, 'completionMode')) !== 'Indexed') {
    const shown = rules.map((rule) => inOwnForm(rule, ['succeededIndexes', 'succeededCount']));
    return [invalid(policy, 'requires indexed completion mode', { Rules: shown })];
  }
  const missing = 'at least one rules must be specified when the successPolicy is specified';
  return [
    ...(rules.length === 0 ? [required(child(policy, 'rules'), missing)] : none),
    ...atMost(child(policy, 'rules'), mostRules),
    ...rules.flatMap((rule) => checkedSuccessRule(rule, number(child(spec, 'completions')))),
  ];
}

function checkedSuccessRule(rule: Place, completions: number): Errors {
  const [indexes, count] = [child(rule, 'succeededIndexes'), child(rule, 'succeededCount')];
  const counted = countedIndexes(text(indexes), completions);
  const isMisread = typeof counted === 'string';
  const least = 'at least one of succeededCount or succeededIndexes must be specified';
  return [
    ...(isStated(indexes) || isStated(count) ? none : [required(rule, least)]),
    ...(isMisread ? [invalid(indexes, `error parsing succeededIndexes: ${counted}`)] : none),
    ...notNegative(count),
    ...atMostCounted(count, completions, 'the number of specified completions'),
    ...(isStated(indexes)
      ? atMostCounted(
          count,
          isMisread ? 0 : counted,
          'the number of indexes in the specified succeededIndexes field',
        )
      : none),
  ];
}

function atMostCounted(count: Place, most: number, what: string): Errors {
  if (number(count) <= most) return none;
  return [invalid(count, `must be less than or equal to ${most} (${what})`)];
}
