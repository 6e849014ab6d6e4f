import { type JsonObject, sameJson } from '#shared/domain/json.ts';
import type { KindRules } from '../kind-rules.ts';
import { all, type Edit, each, ensured, partOf, preset, textOf } from '../words/edit.ts';
import { invalid, notSupported, required, says } from '../words/errors.ts';
import { dnsSubdomain, pathSegment } from '../words/names.ts';
import {
  child,
  type Errors,
  isEmpty,
  items,
  none,
  object,
  type Place,
  text,
} from '../words/place.ts';
import { checkedSelector } from '../words/selector.ts';

const group = 'rbac.authorization.k8s.io';

/** A list that is not stated is written as null. */
const ruled: Edit = (role) => ({ rules: null, ...role });

export const role: KindRules = {
  defaults: ruled,
  name: pathSegment,
  checks: (at) => items(at, 'rules').flatMap((rule) => checkedRule(rule, true)),
};

export const clusterRole: KindRules = {
  defaults: ruled,
  name: pathSegment,
  isClusterWide: true,
  checks: (at) => [
    ...items(at, 'rules').flatMap((rule) => checkedRule(rule, false)),
    ...checkedAggregation(child(at, 'aggregationRule')),
  ],
};

function checkedAggregation(at: Place): Errors {
  if (at.value === undefined) return none;
  const selectors = items(at, 'clusterRoleSelectors');
  const why = 'at least one clusterRoleSelector required if aggregationRule is non-nil';
  return selectors.length === 0
    ? [required(child(at, 'clusterRoleSelectors'), why)]
    : selectors.flatMap(checkedSelector);
}

function checkedRule(at: Place, isNamespaced: boolean): Errors {
  const urls = child(at, 'nonResourceURLs');
  const verbs = child(at, 'verbs');
  return [
    ...(isEmpty(verbs) ? [required(verbs, 'verbs must contain at least one value')] : none),
    ...(isEmpty(urls) ? checkedResources(at) : checkedUrls(at, isNamespaced)),
  ];
}

function checkedUrls(at: Place, isNamespaced: boolean): Errors {
  const urls = child(at, 'nonResourceURLs');
  const isBoth = ['apiGroups', 'resources', 'resourceNames'].some(
    (key) => !isEmpty(child(at, key)),
  );
  return [
    ...(isNamespaced
      ? [invalid(urls, 'namespaced rules cannot apply to non-resource URLs')]
      : none),
    ...(isBoth
      ? [invalid(urls, 'rules cannot apply to both regular resources and non-resource URLs')]
      : none),
  ];
}

function checkedResources(at: Place): Errors {
  const [groups, resources] = [child(at, 'apiGroups'), child(at, 'resources')];
  return [
    ...(isEmpty(groups)
      ? [required(groups, 'resource rules must supply at least one api group')]
      : none),
    ...(isEmpty(resources)
      ? [required(resources, 'resource rules must supply at least one resource')]
      : none),
  ];
}

const subject: Edit = (stated) =>
  ['User', 'Group'].includes(textOf(stated, 'kind')) ? preset({ apiGroup: group })(stated) : stated;

const bound = all(ensured('roleRef', preset({ apiGroup: group })), each('subjects', subject));

export const roleBinding: KindRules = {
  defaults: bound,
  name: pathSegment,
  checks: (at) => checkedBinding(at, ['Role', 'ClusterRole']),
  changes: sameRole,
};

export const clusterRoleBinding: KindRules = {
  defaults: bound,
  name: pathSegment,
  isClusterWide: true,
  checks: (at) => checkedBinding(at, ['ClusterRole']),
  changes: sameRole,
};

function checkedBinding(at: Place, kinds: readonly string[]): Errors {
  const ref = child(at, 'roleRef');
  const [itsGroup, kind, name] = [child(ref, 'apiGroup'), child(ref, 'kind'), child(ref, 'name')];
  return [
    ...(text(itsGroup) === group ? none : [notSupported(itsGroup, [group])]),
    ...(kinds.includes(text(kind)) ? none : [notSupported(kind, kinds)]),
    ...(isEmpty(name) ? [required(name)] : says(pathSegment)(name)),
    ...items(at, 'subjects').flatMap((each) => checkedSubject(each, kinds.includes('Role'))),
  ];
}

function checkedSubject(at: Place, isNamespaced: boolean): Errors {
  const [name, kind] = [child(at, 'name'), child(at, 'kind')];
  const nameless = isEmpty(name) ? [required(name)] : none;
  switch (text(kind)) {
    case 'ServiceAccount':
      return [...nameless, ...checkedAccount(at, isNamespaced)];
    case 'User':
    case 'Group':
      return text(child(at, 'apiGroup')) === group
        ? nameless
        : [...nameless, notSupported(child(at, 'apiGroup'), [group])];
    default:
      return [...nameless, notSupported(kind, ['ServiceAccount', 'User', 'Group'])];
  }
}

function checkedAccount(at: Place, isNamespaced: boolean): Errors {
  const [name, itsGroup, namespace] = ['name', 'apiGroup', 'namespace'].map((key) =>
    child(at, key),
  );
  if (name === undefined || itsGroup === undefined || namespace === undefined) return none;
  return [
    ...(isEmpty(name) ? none : says(dnsSubdomain)(name)),
    ...(isEmpty(itsGroup) ? none : [notSupported(itsGroup, [''])]),
    ...(!isNamespaced && isEmpty(namespace) ? [required(namespace)] : none),
  ];
}

/** A binding that changes its role is another binding. */
function sameRole(next: Place, before: JsonObject): Errors {
  const ref = child(next, 'roleRef');
  if (sameJson(object(ref), partOf(before, 'roleRef'))) return none;
  const { apiGroup = '', kind = '', name = '' } = object(ref);
  return [invalid(ref, 'cannot change roleRef', { APIGroup: apiGroup, Kind: kind, Name: name })];
}
