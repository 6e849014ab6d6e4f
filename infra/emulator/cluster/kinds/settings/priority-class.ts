import type { KindRules } from '../kind-rules.ts';
import { systemClasses } from '../pods/tolerations.ts';
import { all, preset } from '../words/edit.ts';
import { forbidden, oneOf } from '../words/errors.ts';
import { immutable } from '../words/metadata.ts';
import { child, type Errors, none, number, type Place, text } from '../words/place.ts';

const highest = 1_000_000_000;

export const priorityClass: KindRules = {
  defaults: all(
    (whole) => ({ value: 0, ...whole }),
    preset({ preemptionPolicy: 'PreemptLowerPriority' }),
  ),
  counts: [],
  isClusterWide: true,
  checksOfNew: (at) => [
    ...oneOf(child(at, 'preemptionPolicy'), ['PreemptLowerPriority', 'Never']),
    ...checkedValue(at),
  ],
  changes: (next, before) => [
    ...(number(child(next, 'value')) === (before['value'] ?? 0)
      ? none
      : [forbidden(child(next, 'value'), 'may not be changed in an update.')]),
    ...immutable(child(next, 'preemptionPolicy'), before['preemptionPolicy']),
  ],
};

function checkedValue(at: Place): Errors {
  const [name, value] = [child(at, 'metadata', 'name'), child(at, 'value')];
  if (text(name).startsWith('system-')) return checkedSystem(name, number(value));
  return number(value) > highest
    ? [forbidden(value, `maximum allowed value of a user defined priority is ${highest}`)]
    : none;
}

function checkedSystem(name: Place, value: number): Errors {
  const known = systemClasses[text(name)];
  if (known === value) return none;
  const reserved =
    "priority class names with 'system-' prefix are reserved for system use only. error: ";
  const why =
    known === undefined
      ? `${text(name)} is not a known system priority class`
      : `value of ${text(name)} PriorityClass must be ${known}`;
  return [forbidden(name, `${reserved}${why}`)];
}
