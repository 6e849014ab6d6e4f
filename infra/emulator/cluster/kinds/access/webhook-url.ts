import { invalid, required } from '../words/errors.ts';
import { type Errors, none, type Place, text } from '../words/place.ts';

const form = '; desired format: https://host[/path]';
const shape =
  /^(?:([a-zA-Z][-+.\w]*):)?(?:\/\/(?:([^/?#]*)@)?([^/?#@]*))?([^?#]*)(\?[^#]*)?(#.*)?$/;

/** `https` and a host, perhaps a path, and nothing else. */
export function checkedUrl(at: Place): Errors {
  const found = shape.exec(text(at));
  if (found === null) return [required(at, `url must be a valid URL${form}`)];
  const [, scheme = '', user = '', host = '', , query = '', fragment = ''] = found;
  return [
    ...(scheme === 'https'
      ? none
      : [invalid(at, `'https' is the only allowed URL scheme${form}`, scheme)]),
    ...(host === '' ? [invalid(at, `host must be specified${form}`, host)] : none),
    ...unwanted(at, user, 'user information is not permitted in the URL'),
    ...unwanted(at, fragment.slice(1), 'fragments are not permitted in the URL'),
    ...unwanted(at, query.slice(1), 'query parameters are not permitted in the URL'),
  ];
}

function unwanted(at: Place, part: string, why: string): Errors {
  return part === '' ? none : [invalid(at, why, part)];
}
