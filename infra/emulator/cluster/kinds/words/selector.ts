import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import { forbidden, invalid, required, says } from './errors.ts';
import { checkedLabels } from './metadata.ts';
import { labelValue, qualifiedName } from './names.ts';
import { child, type Errors, isEmpty, items, none, type Place, text } from './place.ts';

export function checkedSelector(at: Place): Errors {
  return [
    ...checkedLabels(child(at, 'matchLabels')),
    ...items(at, 'matchExpressions').flatMap((each) => [
      ...checkedOperator(child(each, 'operator')),
      ...checkedRequirement(each),
    ]),
  ];
}

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

function checkedOperator(at: Place): Errors {
  return operators.includes(text(at))
    ? none
    : [invalid(at, 'not a valid selector operator', text(at))];
}

/** Whatever its operator: a newer client may know more of them. */
export function checkedRequirement(at: Place): Errors {
  return [
    ...checkedValues(at),
    ...says(qualifiedName)(child(at, 'key')),
    ...items(at, 'values').flatMap(says(labelValue)),
  ];
}

export function checkedValues(at: Place): Errors {
  const values = child(at, 'values');
  switch (text(child(at, 'operator'))) {
    case 'In':
    case 'NotIn':
      return isEmpty(values)
        ? [required(values, "must be specified when `operator` is 'In' or 'NotIn'")]
        : none;
    case 'Exists':
    case 'DoesNotExist':
      return isEmpty(values)
        ? none
        : [forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return none;
  }
}

export function isEmptySelector({ value }: Place): boolean {
  if (!isJsonObject(value)) return true;
  return isNone(value['matchLabels']) && isNone(value['matchExpressions']);
}

function isNone(value: Json | undefined): boolean {
  return value === undefined || value === null || Object.keys(value).length === 0;
}

/** Of a selector as it is stored; one that cannot be read selects nothing. */
export function selects(selector: Json | undefined, labels: JsonObject): boolean {
  if (!isJsonObject(selector)) return false;
  const at = { path: '', value: selector };
  const { matchLabels } = selector;
  const wanted = Object.entries(isJsonObject(matchLabels) ? matchLabels : {});
  return (
    wanted.every(([key, value]) => labels[key] === value) &&
    items(at, 'matchExpressions').every((each) => meets(each, labels))
  );
}

function meets(at: Place, labels: JsonObject): boolean {
  const label = labels[text(child(at, 'key'))];
  const isIn = typeof label === 'string' && items(at, 'values').map(text).includes(label);
  switch (text(child(at, 'operator'))) {
    case 'In':
      return isIn;
    case 'NotIn':
      return !isIn;
    case 'Exists':
      return label !== undefined;
    case 'DoesNotExist':
      return label === undefined;
    default:
      return false;
  }
}
