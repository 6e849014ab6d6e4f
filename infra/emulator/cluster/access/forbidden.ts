import type { Attributes } from '../parts.ts';
import { type Refusal, refusal } from '../refusal.ts';

/** 403, in the words of the real server. */
export function forbidden(attributes: Attributes, reason: string): Refusal {
  const why = reason === '' ? cannot(attributes) : `${cannot(attributes)}: ${reason}`;
  if ('path' in attributes) return { ...forbiddenOf({}, why), headers: noSniff };
  const { resource, group, name = '' } = attributes;
  return { ...forbiddenOf({ resource, group, name }, why), headers: noSniff };
}

const noSniff = { 'x-content-type-options': 'nosniff' };

type Forbidden = { readonly resource?: string; readonly group?: string; readonly name?: string };

/** `pods "x" is forbidden: …`, for whatever reason. */
export function forbiddenOf(
  { resource = '', group = '', name = '' }: Forbidden,
  why: string,
): Refusal {
  const id = group === '' ? resource : `${resource}.${group}`;
  const what = [id, ...(name === '' ? [] : [`"${name}"`]), ...(id === '' ? [] : ['is '])].join(' ');
  return refusal(403, {
    reason: 'Forbidden',
    message: `${what.trimEnd()}${id === '' ? '' : ' '}forbidden: ${why}`,
    details: {
      ...(name !== '' && { name }),
      ...(group !== '' && { group }),
      ...(resource !== '' && { kind: resource }),
    },
  });
}

function cannot(attributes: Attributes): string {
  const who = `User ${quoted(attributes.user.name)} cannot ${attributes.verb}`;
  if ('path' in attributes) return harmless(`${who} path ${quoted(attributes.path)}`);
  const { resource, subresource = '', group, namespace = '' } = attributes;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${quoted(namespace)}`;
  return harmless(`${who} resource ${quoted(what)} in API group ${quoted(group)} ${where}`);
}

/** As Go's %q, for the names that occur. */
export function quoted(value: string): string {
  return JSON.stringify(value);
}

/** A browser must not take it for a page. */
function harmless(message: string): string {
  return message.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
