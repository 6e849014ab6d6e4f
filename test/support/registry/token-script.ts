import type { Script } from './scripted-host.ts';

export type Users = Readonly<Record<string, string>>;

export type TokenScript = {
  readonly script: Script;
  /** Whether it has given out this token, and for this scope. */
  gave(authorization: string | undefined, scope: string): boolean;
  readonly given: readonly { readonly user: string; readonly scope: string }[];
};

/** A token server: for users by password or by identity token, and for nobody where it is open. */
export function tokenScript(users: Users, extra: object = {}, isOpen = false): TokenScript {
  const given: { readonly user: string; readonly scope: string }[] = [];
  return {
    given,
    gave: (authorization, scope) => {
      const [, at = ''] = /^Bearer token-(\d+)$/.exec(authorization ?? '') ?? [];
      return at !== '' && given[Number(at)]?.scope === scope;
    },
    script: (request, response, heard) => {
      const url = new URL(heard.path, 'http://token.test');
      const form = new URLSearchParams(heard.body);
      const user =
        request.method === 'POST'
          ? byIdentity(users, form.get('refresh_token') ?? '')
          : byPassword(users, heard.authorization);
      if (user === undefined && !(isOpen && heard.authorization === undefined)) {
        response.writeHead(401).end();
        return;
      }
      const scope = form.get('scope') ?? url.searchParams.get('scope') ?? '';
      given.push({ user: user ?? 'nobody', scope });
      response.end(JSON.stringify({ token: `token-${given.length - 1}`, ...extra }));
    },
  };
}

function byPassword(users: Users, authorization: string | undefined): string | undefined {
  const [, code = ''] = /^Basic (.*)$/.exec(authorization ?? '') ?? [];
  const pair = Buffer.from(code, 'base64').toString('utf8');
  return Object.keys(users).find((user) => pair === `${user}:${users[user]}`);
}

function byIdentity(users: Users, token: string): string | undefined {
  return Object.keys(users).find((user) => token === `identity of ${user}`);
}
