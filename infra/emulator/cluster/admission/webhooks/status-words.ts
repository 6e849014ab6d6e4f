import { isJsonObject } from '#shared/domain/json.ts';

/** What the real server's client makes of an answer that is no success: the server's own Status, or its own words. */
export function statusWords(status: number, type: string, body: string): string {
  const own = messageIn(body);
  if (own !== undefined) return own;
  const isText = type === '' || type.startsWith('text/');
  const said = isText ? body.trim() : 'unknown';
  if (status === 403 || status === 406 || status === 415) return said;
  const known = words[status];
  if (known !== undefined) return known;
  return status >= 500
    ? `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`
    : `the server responded with the status code ${status} but did not return more information`;
}

const words: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

function messageIn(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body);
    if (!isJsonObject(value) || value['kind'] !== 'Status' || value['status'] === 'Success') {
      return undefined;
    }
    return typeof value['message'] === 'string' ? value['message'] : '';
  } catch {
    return undefined;
  }
}
