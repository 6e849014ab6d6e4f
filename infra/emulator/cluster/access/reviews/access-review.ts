import { parseFieldSelector } from '#shared/domain/field-selector.ts';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { Attributes, User } from '../../parts.ts';
import { labelTerms } from '../../reading/label-terms.ts';
import { invalid, type Refusal } from '../../refusal.ts';
import { fixedBy } from '../fixed-fields.ts';
import type { Decision } from '../rbac/authorizing.ts';
import { inside, objects, text, texts } from '../stated.ts';
import { answered } from './answered.ts';
import { questionErrors } from './question-errors.ts';

/** The real server does not name the kind in these. */
const what = { group: 'authorization.k8s.io', kind: '', name: '' };

/** SelfSubjectAccessReview, SubjectAccessReview and LocalSubjectAccessReview. */
export function accessReviewed(
  sent: JsonObject,
  asker: User,
  decide: (attributes: Attributes) => Decision,
): JsonObject | Refusal {
  const errors = questionErrors(sent);
  if (errors.length > 0) return invalid(what, errors);
  const spec = inside(sent['spec']);
  const user = sent['kind'] === 'SelfSubjectAccessReview' ? asker : subjectOf(spec);
  const { allowed, reason } = decide(attributesOf(spec, user));
  const unread = unreadIn(inside(spec['resourceAttributes']));
  return answered(sent, spec, {
    ...{ allowed, ...(reason !== '' && { reason }) },
    ...(unread !== '' && { evaluationError: unread }),
  });
}

/** Selectors that say nothing, of which whoever decides knows nothing. */
function unreadIn({ fieldSelector, labelSelector }: JsonObject): string {
  const [fields, labels] = [fieldSelector, labelSelector].map((each) =>
    text(inside(each)['rawSelector']),
  );
  const unread = [
    ...(parseFieldSelector(fields ?? '') === undefined ? ['fieldSelector'] : []),
    ...(typeof labelTerms(labels ?? '') === 'string' ? ['labelSelector'] : []),
  ];
  return unread
    .map((name) => `spec.resourceAttributes.${name} ignored due to parse error`)
    .join('; ');
}

function subjectOf({ user, uid, groups, extra }: JsonObject): User {
  const more = Object.entries(inside(extra)).map(([key, values]) => [key, texts(values)]);
  return {
    name: text(user),
    ...(text(uid) !== '' && { uid: text(uid) }),
    groups: texts(groups),
    extra: Object.fromEntries(more),
  };
}

function attributesOf(spec: JsonObject, user: User): Attributes {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (isJsonObject(resourceAttributes)) return ofResource(resourceAttributes, user);
  const { verb, path } = inside(nonResourceAttributes);
  return { user, verb: text(verb), path: text(path) };
}

function ofResource(stated: JsonObject, user: User): Attributes {
  const { verb, group, version, resource, subresource, namespace, name, fieldSelector } = stated;
  return {
    user,
    verb: text(verb),
    group: text(group),
    version: text(version),
    resource: text(resource),
    subresource: text(subresource),
    namespace: text(namespace),
    name: text(name),
    fixed: fixedIn(inside(fieldSelector)),
  };
}

function fixedIn({ rawSelector, requirements }: JsonObject): Readonly<Record<string, string>> {
  const single = objects(requirements).flatMap(({ key, operator, values }) => {
    const [value, ...more] = texts(values);
    const isOne = operator === 'In' && value !== undefined && more.length === 0;
    return isOne ? [[text(key), value] as const] : [];
  });
  return { ...fixedBy(text(rawSelector)), ...Object.fromEntries(single) };
}
