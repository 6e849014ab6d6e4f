import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { Attributes, User } from '../../parts.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import type { Decision } from '../rbac/authorizing.ts';
import { inside, namespaceOf, text, texts } from '../stated.ts';
import { answered } from './answered.ts';
import { invalid } from './invalid.ts';

/** The real server does not name the kind in these. */
const what = { group: 'authorization.k8s.io', kind: '' };

/** SelfSubjectAccessReview, SubjectAccessReview and LocalSubjectAccessReview. */
export function accessReviewed(
  sent: JsonObject,
  asker: User,
  decide: (attributes: Attributes) => Decision,
): JsonObject | Refusal {
  const spec = inside(sent['spec']);
  const user = sent['kind'] === 'SelfSubjectAccessReview' ? asker : subjectOf(spec);
  if (isRefusal(user)) return user;
  const attributes = attributesOf(sent, spec, user);
  if (isRefusal(attributes)) return attributes;
  const { allowed, reason } = decide(attributes);
  return answered(sent, spec, { allowed, ...(reason !== '' && { reason }) });
}

function subjectOf(spec: JsonObject): User | Refusal {
  const { user, uid, groups, extra } = spec;
  if (text(user) === '' && texts(groups).length === 0) {
    return invalid(what, {
      field: 'spec.user',
      reason: 'FieldValueInvalid',
      message: 'Invalid value: "": at least one of user or group must be specified',
    });
  }
  const more = Object.entries(inside(extra)).map(([key, values]) => [key, texts(values)]);
  return {
    name: text(user),
    ...(text(uid) !== '' && { uid: text(uid) }),
    groups: texts(groups),
    extra: Object.fromEntries(more),
  };
}

function attributesOf(sent: JsonObject, spec: JsonObject, user: User): Attributes | Refusal {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (isJsonObject(resourceAttributes)) {
    if (isJsonObject(nonResourceAttributes)) return both(nonResourceAttributes);
    return strayed(sent, resourceAttributes) ?? ofResource(resourceAttributes, user);
  }
  if (!isJsonObject(nonResourceAttributes)) return neither;
  if (sent['kind'] === 'LocalSubjectAccessReview') return foreign(nonResourceAttributes);
  const { verb, path } = nonResourceAttributes;
  return { user, verb: text(verb), path: text(path) };
}

function ofResource(stated: JsonObject, user: User): Attributes {
  const { verb, group, version, resource, subresource, namespace, name } = stated;
  return {
    user,
    verb: text(verb),
    group: text(group),
    version: text(version),
    resource: text(resource),
    subresource: text(subresource),
    namespace: text(namespace),
    name: text(name),
  };
}

const neither = invalid(what, {
  field: 'spec.resourceAttributes',
  reason: 'FieldValueInvalid',
  message:
    'Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
});

function both({ path, verb }: JsonObject): Refusal {
  const value = JSON.stringify({ Path: text(path), Verb: text(verb) });
  return invalid(what, {
    field: 'spec.nonResourceAttributes',
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${value}: cannot be specified in combination with resourceAttributes`,
  });
}

function foreign({ path, verb }: JsonObject): Refusal {
  const value = JSON.stringify({ Path: text(path), Verb: text(verb) });
  return invalid(what, {
    field: 'spec.nonResourceAttributes',
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${value}: disallowed on this kind of request`,
  });
}

/** A local review speaks of its own namespace only. */
function strayed(sent: JsonObject, { namespace }: JsonObject): Refusal | undefined {
  if (sent['kind'] !== 'LocalSubjectAccessReview' || text(namespace) === namespaceOf(sent)) {
    return undefined;
  }
  return invalid(what, {
    field: 'spec.resourceAttributes.namespace',
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(text(namespace))}: must match metadata.namespace`,
  });
}
