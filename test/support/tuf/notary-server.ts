import type { Answer, Fetch, FetchReply, FetchRequest } from '#shared/adapters/notary/fetch.ts';
import type { Files } from './publish.ts';
import { gun } from './scene.ts';

export type Visit = { readonly url: string; readonly authorization: string | undefined };

/** What a server answers before it looks for a file. */
export type Rule = (request: FetchRequest) => FetchReply | undefined;

/** A Notary behind the port, and who came by. The first rule that answers decides. */
export function notaryServer(files: Files, ...rules: readonly Rule[]) {
  const visits: Visit[] = [];
  const fetch: Fetch = async (request) => {
    const { url, headers } = request;
    visits.push({ url: url.href, authorization: headers['authorization'] });
    for (const rule of rules) {
      const ruled = rule(request);
      if (ruled !== undefined) return ruled;
    }
    return served(files, request);
  };
  return { fetch, visits };
}

function served(files: Files, { url, maxBytes }: FetchRequest): FetchReply {
  const [, name = ''] = url.pathname.split(`/v2/${gun}/_trust/tuf/`);
  const body = files.get(name);
  if (body === undefined) return answer(404);
  return body.length > maxBytes ? { kind: 'too-large', status: 200 } : answer(200, {}, body);
}

export function answer(
  status: number,
  headers: Answer['headers'] = {},
  body: Uint8Array | string = '',
): Answer {
  return { kind: 'answer', status, headers, body: Buffer.from(body) };
}

const challenge = 'Bearer realm="https://auth.example/token",service="notary.example"';

/** Wants a token, which it gives to who shows these credentials. */
export function wantsToken(credentials: string | undefined): Rule {
  const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
  return ({ url, headers }) => {
    const shown = headers['authorization'];
    if (url.host !== 'auth.example') {
      return shown === 'Bearer abc' ? undefined : answer(401, { 'www-authenticate': challenge });
    }
    return shown === expected ? answer(200, {}, '{"token":"abc"}') : answer(401);
  };
}
