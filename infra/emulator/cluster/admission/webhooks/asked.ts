import type { JsonObject } from '#shared/domain/json.ts';
import { text } from '../../access/stated.ts';
import type { Admitting, GroupVersionKind } from '../../parts.ts';

export type Resource = {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
};

/** A request as webhooks see it: the one of a namespace is inside of itself, that of a subresource has the kind of its object. */
export type Asked = {
  readonly what: Admitting;
  readonly resource: Resource;
  readonly kind: GroupVersionKind;
  readonly namespace: string;
};

export function askedBy(what: Admitting): Asked {
  const { kind, version, namespace, name, object, before } = what;
  const resource = { group: kind.group, version, resource: kind.resource };
  const isNamespace = kind.group === '' && kind.resource === 'namespaces';
  const own = { group: kind.group, version, kind: kind.kind };
  return {
    what,
    resource,
    kind: what.subresource === undefined ? own : (typeOf(object ?? before) ?? own),
    namespace: isNamespace ? name : (namespace ?? ''),
  };
}

export function typeOf(object: JsonObject | undefined): GroupVersionKind | undefined {
  const [apiVersion, kind] = [text(object?.['apiVersion']), text(object?.['kind'])];
  if (apiVersion === '' || kind === '') return undefined;
  const [group = '', version] = apiVersion.split('/');
  return version === undefined ? { group: '', version: group, kind } : { group, version, kind };
}

export function apiVersionOf({ group, version }: GroupVersionKind | Resource): string {
  return group === '' ? version : `${group}/${version}`;
}
