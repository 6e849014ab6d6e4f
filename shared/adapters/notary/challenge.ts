export type Challenge =
  | { readonly kind: 'bearer'; readonly realm: string; readonly service: string | undefined }
  | { readonly kind: 'basic' };

const parameter = /([a-zA-Z_-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))\s*(?:,|$)/gy;
const mostLetters = 4096;

/** The first challenge of a `WWW-Authenticate` header that we can meet. */
export function readChallenge(header: string): Challenge | undefined {
  if (header.length > mostLetters) return undefined;
  const [, scheme = '', rest = ''] = /^\s*(bearer|basic)(?:\s+(.*))?$/i.exec(header) ?? [];
  if (scheme.toLowerCase() === 'basic') return { kind: 'basic' };
  if (scheme === '') return undefined;

  const given = new Map(
    [...rest.trim().matchAll(parameter)].map(([, name = '', quoted, bare = '']) => [
      name.toLowerCase(),
      quoted === undefined ? bare : quoted.replace(/\\(.)/g, '$1'),
    ]),
  );
  const realm = given.get('realm');
  return realm === undefined ? undefined : { kind: 'bearer', realm, service: given.get('service') };
}
