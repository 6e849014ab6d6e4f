import { inOwnForm, invalid, notNegative, required } from '../words/errors.ts';
import { child, type Errors, isEmpty, isStated, none, type Place, text } from '../words/place.ts';
import { atMostAll, checkedIntOrPercent, isNought } from './template.ts';

export function checkedStrategy(at: Place): Errors {
  const [type, update] = [child(at, 'type'), child(at, 'rollingUpdate')];
  if (isEmpty(type)) return [required(at)];
  if (text(type) === 'OnDelete') {
    return isStated(update)
      ? [
          invalid(
            update,
            "only allowed for updateStrategy 'RollingUpdate'",
            inOwnForm(update, ['partition', 'maxUnavailable']),
          ),
        ]
      : none;
  }
  if (text(type) !== 'RollingUpdate') {
    const shown = { Type: text(type), RollingUpdate: null };
    return [invalid(at, "must be 'RollingUpdate' or 'OnDelete'", shown)];
  }
  return checkedRolling(update);
}

function checkedRolling(update: Place): Errors {
  const most = child(update, 'maxUnavailable');
  return [
    ...notNegative(child(update, 'partition')),
    ...(isStated(most)
      ? [
          ...checkedIntOrPercent(most),
          ...(isNought(most) ? [invalid(most, 'cannot be 0')] : none),
          ...atMostAll(most),
        ]
      : none),
  ];
}
