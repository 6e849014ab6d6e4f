import type { JsonObject } from '#shared/domain/json.ts';
import { invalid, required } from '../../kinds/words/errors.ts';
import {
  child,
  type Errors,
  isEmpty,
  isStated,
  items,
  none,
  object,
  type Place,
  root,
  text,
} from '../../kinds/words/place.ts';
import { checkedRequirement, checkedValues } from '../../kinds/words/selector.ts';

/** What is wrong with a question about rights. */
export function questionErrors(question: JsonObject): Errors {
  const at = root(question);
  const [spec, metadata] = [child(at, 'spec'), child(at, 'metadata')];
  const resource = child(spec, 'resourceAttributes');
  const isLocal = question['kind'] === 'LocalSubjectAccessReview';
  return [
    ...checkedAttributes(spec),
    ...(question['kind'] === 'SelfSubjectAccessReview' ? none : checkedSubject(spec)),
    ...checkedSelector(child(resource, 'fieldSelector'), checkedField),
    ...checkedSelector(child(resource, 'labelSelector'), checkedRequirement),
    ...checkedMetadata(metadata, isLocal),
    ...(isLocal ? checkedPlace(spec, text(child(metadata, 'namespace'))) : none),
  ];
}

function checkedAttributes(spec: Place): Errors {
  const [path, resource] = [
    child(spec, 'nonResourceAttributes'),
    child(spec, 'resourceAttributes'),
  ];
  if (isStated(path) && isStated(resource)) {
    return [refusedPath(path, 'cannot be specified in combination with resourceAttributes')];
  }
  const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return isStated(path) || isStated(resource) ? none : [invalid(resource, why, null)];
}

function refusedPath(at: Place, why: string) {
  const shown = { Path: text(child(at, 'path')), Verb: text(child(at, 'verb')) };
  return invalid(at, why, shown);
}

function checkedSubject(spec: Place): Errors {
  const user = child(spec, 'user');
  const isNobody = text(user) === '' && isEmpty(child(spec, 'groups'));
  return isNobody ? [invalid(user, 'at least one of user or group must be specified', '')] : none;
}

function checkedSelector(at: Place, check: (requirement: Place) => Errors): Errors {
  if (!isStated(at)) return none;
  const [raw, requirements] = [child(at, 'rawSelector'), child(at, 'requirements')];
  if (isEmpty(raw) && isEmpty(requirements)) {
    const why = `when ${at.path} is specified, requirements or rawSelector is required`;
    return [required(requirements, why)];
  }
  const isBoth = !isEmpty(raw) && !isEmpty(requirements);
  return [
    ...(isBoth ? [invalid(raw, 'may not specified at the same time as requirements')] : none),
    ...items(at, 'requirements').flatMap(check),
  ];
}

function checkedField(requirement: Place): Errors {
  const key = child(requirement, 'key');
  return [
    ...(isEmpty(key) ? [required(key, 'must be specified')] : none),
    ...checkedValues(requirement),
  ];
}

/** Of a question nothing is kept: it has no name, though an empty one may be written. */
function checkedMetadata(at: Place, isLocal: boolean): Errors {
  const unasked = new Set(['managedFields', ...(isLocal ? ['namespace'] : [])]);
  const stated = Object.keys(object(at)).filter((name) => !isEmpty(child(at, name)));
  if (stated.every((name) => unasked.has(name))) return none;
  return [invalid(at, isLocal ? 'must be empty except for namespace' : 'must be empty')];
}

/** A local question speaks of its own namespace only. */
function checkedPlace(spec: Place, namespace: string): Errors {
  const [path, resource] = [
    child(spec, 'nonResourceAttributes'),
    child(spec, 'resourceAttributes'),
  ];
  const at = child(resource, 'namespace');
  const isElsewhere = isStated(resource) && text(at) !== namespace;
  return [
    ...(isElsewhere ? [invalid(at, 'must match metadata.namespace', text(at))] : none),
    ...(isStated(path) ? [refusedPath(path, 'disallowed on this kind of request')] : none),
  ];
}
