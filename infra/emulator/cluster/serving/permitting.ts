import { fixedBy } from '../access/fixed-fields.ts';
import type { Access, Attributes, User } from '../parts.ts';
import { forbidden, type Refusal, refusal } from '../refusal.ts';
import type { Asking } from './request.ts';
import type { Asked, Resource, World } from './world.ts';

/** What an authorizer is asked of a request. */
export function attributesOf(
  { route, verb, path, query }: Asking,
  method: string,
  user: User,
): Attributes {
  if (route.kind !== 'resource') return { user, verb: method.toLowerCase(), path };
  const { group, version, resource, subresource, namespace, name } = route;
  const fixed = fixedBy(query.get('fieldSelector') ?? '');
  // Who may read one object may list that one, too.
  const stated = {
    user,
    group,
    version,
    resource,
    subresource,
    name: name ?? fixed['metadata.name'],
  };
  const where = namespace ?? ownNamespace(route);
  return { ...stated, verb: apiVerb(verb, route), namespace: where, fixed };
}

function ownNamespace({ group, resource, name }: Resource): string | undefined {
  return group === '' && resource === 'namespaces' ? name : undefined;
}

function apiVerb(verb: Asking['verb'], { name }: Resource): string {
  if (verb === 'version') return 'list';
  return verb === 'delete' && name === undefined ? 'deletecollection' : verb;
}

export function refusedBy(access: Access, attributes: Attributes): Refusal | undefined {
  const { allowed, reason } = access.may(attributes);
  if (allowed) return undefined;
  const end = reason === '' ? '' : `: ${reason}`;
  const who = `User ${JSON.stringify(attributes.user.name)} cannot ${attributes.verb}`;
  if ('path' in attributes) {
    const message = `forbidden: ${who} path ${JSON.stringify(attributes.path)}${end}`;
    return refusal(403, { reason: 'Forbidden', message, details: {} });
  }
  const { group, resource, subresource, namespace, name = '' } = attributes;
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  const where = namespace ? `in the namespace "${namespace}"` : 'at the cluster scope';
  const why = `${who} resource "${what}" in API group "${group}" ${where}${end}`;
  return forbidden({ resource, group, name }, why);
}

/** Whoever makes an object by another verb must be allowed to make one. */
export function mayCreate({ route, user }: Asked, { parts }: World): Refusal | undefined {
  const { group, version, resource, namespace, name } = route;
  const attributes = { user, verb: 'create', group, version, resource, namespace, name };
  return refusedBy(parts.access, attributes);
}
