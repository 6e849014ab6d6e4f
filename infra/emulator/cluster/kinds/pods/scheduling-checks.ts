import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  oneOf,
  required,
  says,
} from '../words/errors.ts';
import { labelValue, qualifiedName } from '../words/names.ts';
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

export const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

export const checkedToleration: Check = (at) => {
  const [key, effect] = [child(at, 'key'), child(at, 'effect')];
  const isTimed = isStated(child(at, 'tolerationSeconds'));
  return [
    ...(isEmpty(key) ? none : says(qualifiedName)(key)),
    ...checkedKeyless(at),
    ...(isTimed && text(effect) !== 'NoExecute'
      ? [
          invalid(
            effect,
            "effect must be 'NoExecute' when `tolerationSeconds` is set",
            text(effect),
          ),
        ]
      : none),
    ...checkedTolerance(child(at, 'operator'), child(at, 'value')),
    ...(isEmpty(effect) ? none : oneOf(effect, effects)),
  ];
};

function checkedKeyless(at: Place): Errors {
  const operator = child(at, 'operator');
  const why =
    'operator must be Exists when `key` is empty, which means "match all values and all keys"';
  return isEmpty(child(at, 'key')) && text(operator) !== 'Exists'
    ? [invalid(operator, why, text(operator))]
    : none;
}

/** Errors of the value name the operator. */
function checkedTolerance(operator: Place, value: Place): Errors {
  switch (text(operator)) {
    case 'Equal':
    case '': {
      const bad = labelValue(text(value));
      return bad.length > 0 ? [invalid(operator, bad.join(';'), text(value))] : none;
    }
    case 'Exists':
      return isEmpty(value)
        ? none
        : [invalid(operator, "value must be empty when `operator` is 'Exists'", value.value)];
    case 'Lt':
    case 'Gt':
      return [notSupported(operator, ['Equal', 'Exists', 'Lt', 'Gt'])];
    default:
      return [notSupported(operator, ['Equal', 'Exists'])];
  }
}

const actions = ['DoNotSchedule', 'ScheduleAnyway'] as const;

export function checkedSpread(all: readonly Place[]): Errors {
  return all.flatMap((at, index) => {
    const [skew, topology, action] = ['maxSkew', 'topologyKey', 'whenUnsatisfiable'].map((key) =>
      child(at, key),
    );
    if (skew === undefined || topology === undefined || action === undefined) return none;
    return [
      ...(number(skew) > 0 ? none : [invalid(skew, 'must be greater than zero', number(skew))]),
      ...(isEmpty(topology) ? [required(topology, 'can not be empty')] : none),
      ...oneOf(action, actions),
      ...repeated(at, all.slice(index + 1)),
      ...checkedDomains(child(at, 'minDomains'), text(action)),
      ...['nodeAffinityPolicy', 'nodeTaintsPolicy']
        .map((key) => child(at, key))
        .filter(isStated)
        .flatMap((each) => oneOf(each, ['Honor', 'Ignore'])),
      ...checkedSelector(child(at, 'labelSelector')),
      ...checkedKeys(at, 'matchLabelKeys'),
    ];
  });
}

/** Keys of labels add to a selector that is there. */
export function checkedKeys(at: Place, key: string): Errors {
  const list = child(at, key);
  if (isEmpty(list)) return none;
  if (!isStated(child(at, 'labelSelector'))) {
    return [forbidden(list, 'must not be specified when labelSelector is not set')];
  }
  return items(at, key).flatMap(says(qualifiedName));
}

function repeated(at: Place, others: readonly Place[]): Errors {
  const key = kindOf(at);
  const path = `${at.path}.{topologyKey, whenUnsatisfiable}`;
  return others.some((other) => kindOf(other) === key) ? [duplicate({ path, value: key })] : none;
}

function kindOf(at: Place): string {
  return `{${text(child(at, 'topologyKey'))}, ${text(child(at, 'whenUnsatisfiable'))}}`;
}

function checkedDomains(at: Place, action: string): Errors {
  if (!isStated(at)) return none;
  const why = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  return [
    ...(number(at) > 0 ? none : [invalid(at, 'must be greater than zero')]),
    ...(action === 'DoNotSchedule' ? none : [invalid(at, why)]),
  ];
}
