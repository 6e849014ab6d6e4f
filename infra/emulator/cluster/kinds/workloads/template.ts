import { isJsonObject } from '#shared/domain/json.ts';
import { checkedPodSpec, noEphemeral } from '../pods/spec-checks.ts';
import {
  forbidden,
  inOrder,
  invalid,
  notNegative,
  notSupported,
  required,
} from '../words/errors.ts';
import { checkedAnnotations, checkedLabels } from '../words/metadata.ts';
import { percent } from '../words/names.ts';
import {
  child,
  type Errors,
  isStated,
  none,
  number,
  object,
  type Place,
  text,
} from '../words/place.ts';
import { checkedSelector, isEmptySelector, selects } from '../words/selector.ts';

export function checkedTemplate(at: Place): Errors {
  return [
    ...checkedLabels({ ...child(at, 'metadata', 'labels'), path: `${at.path}.labels` }),
    ...checkedAnnotations({
      ...child(at, 'metadata', 'annotations'),
      path: `${at.path}.annotations`,
    }),
    ...checkedPodSpec(child(at, 'spec'), false),
    ...noEphemeral(child(at, 'spec')),
  ];
}

/** Pods that their controller starts anew for ever. */
export function checkedEternal(template: Place, kind: string): Errors {
  const [policy, deadline] = [
    child(template, 'spec', 'restartPolicy'),
    child(template, 'spec', 'activeDeadlineSeconds'),
  ];
  return [
    ...(text(policy) === 'Always' ? none : [notSupported(policy, ['Always'])]),
    ...(isStated(deadline)
      ? [forbidden(deadline, `activeDeadlineSeconds in ${kind} is not Supported`)]
      : none),
  ];
}

/** The selector of a workload is there, selects something, and selects the pods of its own template. */
export function checkedOwnSelector(spec: Place, kind: string): Errors {
  const selector = child(spec, 'selector');
  if (!isStated(selector)) return [required(selector)];
  return [
    ...checkedSelector(selector),
    ...(isEmptySelector(selector)
      ? [invalid(selector, `empty selector is invalid for ${kind}`)]
      : none),
  ];
}

/** The template, with what its selector wants of it; behind a selector that cannot be read nothing more is looked at. */
export function checkedOwnTemplate(
  spec: Place,
  kind: string,
  unread = 'invalid label selector',
): Errors {
  const [selector, template] = [child(spec, 'selector'), child(spec, 'template')];
  if (checkedSelector(selector).length > 0) return [invalid(selector, unread)];
  const labels = child(template, 'metadata', 'labels');
  const isAny = isStated(selector) && isEmptySelector(selector);
  const isMatch = isAny || selects(selector.value, object(labels));
  return [
    ...(isMatch ? none : [unmatched(labels)]),
    ...checkedTemplate(template),
    ...checkedEternal(template, kind),
  ];
}

export function unmatched(labels: Place) {
  return invalid(
    labels,
    '`selector` does not match template `labels`',
    isStated(labels) ? inOrder(object(labels)) : null,
  );
}

export function checkedCounts(spec: Place, keys: readonly string[]): Errors {
  return keys.flatMap((key) => notNegative(child(spec, key)));
}

export function checkedIntOrPercent(at: Place): Errors {
  if (typeof at.value === 'string') {
    return percent(at.value).map((complaint) => invalid(at, complaint));
  }
  return notNegative(at);
}

export function atMostAll(at: Place): Errors {
  return percentOf(at) > 100 ? [invalid(at, 'must not be greater than 100%')] : none;
}

function percentOf({ value }: Place): number {
  return typeof value === 'string' && /^\d+%$/.test(value) ? Number.parseInt(value, 10) : 0;
}

export function isNought(at: Place): boolean {
  return typeof at.value === 'string' ? percentOf(at) === 0 : number(at) === 0;
}

/** As the real server prints a strategy that it does not know. */
export function strategyShown({ value }: Place): string {
  const type = isJsonObject(value) ? String(value['type'] ?? '') : '';
  const rolling = isJsonObject(value) && isJsonObject(value['rollingUpdate']);
  return JSON.stringify({ Type: type, RollingUpdate: rolling ? {} : null });
}
