import { readFile } from 'node:fs/promises';
import type { KubeConfig, User } from '@kubernetes/client-node';

type Authenticator = Parameters<KubeConfig['addAuthenticator']>[0];

const provider = 'token file';
const freshMs = 60_000;

/** As kubectl weighs them, the file counts more than a token or a plugin. */
export function withTokenFile({ token, exec, ...user }: User, path: string): User {
  return { ...user, authProvider: { name: provider, config: { path } } };
}

type Known = { readonly token: string; readonly atMs: number };

/** The library's own reader sends the newline with which a file may end, and Node refuses to. */
export function tokenFileReader(): Authenticator {
  let known: Known | undefined;
  return {
    isAuthProvider: ({ authProvider }) => authProvider?.name === provider,
    async applyAuthentication({ authProvider }, options) {
      known = await tokenAt(authProvider.config.path, known);
      options.headers = { ...options.headers, Authorization: `Bearer ${known.token}` };
    },
  };
}

/** Read anew each minute. Whoever writes it may be half way: then the last one is as good as before. */
async function tokenAt(path: string, known: Known | undefined): Promise<Known> {
  // The time of day may be set back, by which an old token would stay fresh.
  const atMs = performance.now();
  if (known !== undefined && atMs - known.atMs <= freshMs) return known;
  try {
    return { token: await tokenIn(path), atMs };
  } catch (cause: unknown) {
    if (known !== undefined) return known;
    throw new Error(`cannot read the token file ${path}`, { cause });
  }
}

async function tokenIn(path: string): Promise<string> {
  const token = (await readFile(path, 'utf8')).trim();
  if (token === '') throw new Error('it is empty');
  return token;
}
