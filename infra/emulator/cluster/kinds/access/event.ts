import type { KindRules } from '../kind-rules.ts';
import { all, ensured, without } from '../words/edit.ts';
import { invalid, required, says } from '../words/errors.ts';
import { qualifiedName } from '../words/names.ts';
import { child, type Errors, isEmpty, isStated, none, type Place, text } from '../words/place.ts';

/**
 * One storage for both groups, in the form of the core one; who serves the newer one changes the names.
 */
export const event: KindRules = {
  defaults: all(ensured('involvedObject'), ensured('source'), (whole) => ({
    eventTime: null,
    firstTimestamp: null,
    lastTimestamp: null,
    reportingComponent: '',
    reportingInstance: '',
    ...(whole['type'] === '' ? without(whole, ['type']) : whole),
  })),
  // The real server has no rule for an event's name but that it is a part of a path.
  name: () => [],
  checks: (at) => (isStated(child(at, 'eventTime')) ? checkedNew(at) : checkedOld(at)),
};

/** Of older writers only the place is checked. */
function checkedOld(at: Place): Errors {
  const own = text(child(at, 'metadata', 'namespace'));
  const about = child(at, 'involvedObject', 'namespace');
  const isFitting = isEmpty(about) ? own === 'default' : text(about) === own;
  return isFitting ? none : [invalid(about, 'does not match event.namespace', text(about))];
}

const longest: Readonly<Record<string, number>> = {
  reportingInstance: 128,
  action: 128,
  reason: 128,
};

function checkedNew(at: Place): Errors {
  const own = text(child(at, 'metadata', 'namespace'));
  const about = child(at, 'involvedObject', 'namespace');
  const isFitting = !isEmpty(about) || ['default', 'kube-system'].includes(own);
  const reporter = child(at, 'reportingComponent');
  return [
    ...(isFitting ? none : [invalid(about, 'does not match event.namespace', '')]),
    ...(isEmpty(reporter) ? [required(reporter)] : none),
    ...says(qualifiedName)(reporter),
    ...Object.entries(longest).flatMap(([key, most]) => checkedLength(child(at, key), most)),
    ...(text(child(at, 'message')).length > 1024
      ? [invalid(child(at, 'message'), 'can have at most 1024 characters', '')]
      : none),
  ];
}

function checkedLength(at: Place, most: number): Errors {
  if (isEmpty(at)) return [required(at)];
  return text(at).length > most ? [invalid(at, `can have at most ${most} characters`, '')] : none;
}
