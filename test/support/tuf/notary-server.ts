import type { Outside, OutsideAnswer, OutsideRequest } from '#shared/domain/outside.ts';
import type { Files } from './publish.ts';
import { gun } from './scene.ts';

/** What a server answers before it looks for a file. */
export type Rule = (request: OutsideRequest) => OutsideAnswer | undefined;

/** A Notary behind the door to the outside, and who came by. The first rule that answers decides. */
export function notaryServer(files: Files, ...rules: readonly Rule[]) {
  const visits: OutsideRequest[] = [];
  const outside: Outside = {
    read: async (request) => {
      visits.push(request);
      const ruled = rules.map((rule) => rule(request)).find(isAnswer);
      return capped(ruled ?? served(files, request), request);
    },
    originOf: (host) => `https://${host}`,
    close: () => undefined,
  };
  return { outside, visits };
}

function isAnswer(answer: OutsideAnswer | undefined): answer is OutsideAnswer {
  return answer !== undefined;
}

function served(files: Files, { url }: OutsideRequest): OutsideAnswer {
  const [, name = ''] = url.split(`/v2/${gun}/_trust/tuf/`);
  const body = files.get(name);
  if (body === undefined) return answer(404);
  return answer(200, {}, body);
}

function capped(given: OutsideAnswer, { url, maxBytes }: OutsideRequest): OutsideAnswer {
  return given.kind === 'answer' && given.body.length > maxBytes
    ? { kind: 'refused', why: 'too-large', about: url }
    : given;
}

export function answer(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body: Uint8Array | string = '',
): OutsideAnswer {
  return { kind: 'answer', status, headers, body: Buffer.from(body), url: '' };
}

const challenge = 'Bearer realm="https://auth.example/token",service="notary.example"';

/** Wants a token, which it gives to who shows these credentials. */
export function wantsToken(credentials: string | undefined): Rule {
  const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
  return ({ url, authorization }) => {
    if (!url.startsWith('https://auth.example/')) {
      return authorization === 'Bearer abc'
        ? undefined
        : answer(401, { 'www-authenticate': challenge });
    }
    return authorization === expected ? answer(200, {}, '{"token":"abc"}') : answer(401);
  };
}
