import type { Reach } from '#shared/domain/outside.ts';
import { type Challenge, parseChallenges } from '#shared/domain/registry/challenge.ts';
import type { Endpoint } from '#shared/domain/registry/endpoint.ts';
import { type ReadFailure, readRefused } from '#shared/domain/registry/registry.ts';
import { type Account, basic, bearer } from './account.ts';
import { type Token, tokenCall, tokenFrom } from './token.ts';
import type { RegistryOptions, Tools } from './tools.ts';

export type Visit = {
  readonly endpoint: Endpoint;
  readonly account: Account;
  readonly reach: Reach;
  readonly signal: AbortSignal;
};

/** What to show a registry that has answered with this header and 401. */
export async function authorize(
  tools: Tools,
  visit: Visit,
  header: string,
): Promise<Token | ReadFailure> {
  const challenges = parseChallenges(header);
  const wanted = (scheme: string) => challenges.find((each) => each.scheme === scheme);
  const forToken = wanted('bearer');
  if (visit.account?.kind === 'registry-token') return shown(bearer(visit.account.token));
  if (forToken !== undefined) return fetchToken(tools, visit, forToken);
  if (wanted('basic') === undefined) {
    return readRefused('challenge', `${visit.endpoint.host} asks for no login that we know`);
  }
  return visit.account?.kind === 'password'
    ? shown(basic(visit.account))
    : readRefused('denied', `${visit.endpoint.host} asks for a password`);
}

/** How long a login that was shown once is shown at once; it is the credential itself, so it does not age. */
const shownSeconds = 300;

function shown(authorization: string | undefined): Token | ReadFailure {
  return authorization === undefined
    ? readRefused('denied', 'a token that cannot be sent')
    : { kind: 'token', authorization, forSeconds: shownSeconds };
}

async function fetchToken(
  tools: Tools,
  { endpoint, account, reach, signal }: Visit,
  challenge: Challenge,
): Promise<Token | ReadFailure> {
  const realm = URL.parse(challenge.parameters.get('realm') ?? '');
  if (realm === null) return readRefused('challenge', `${endpoint.host} names no token server`);
  // Whoever answers for a registry could name any host: a secret goes to those that are known to be its own.
  if (account !== undefined && !isOwn(tools, endpoint, realm)) {
    return readRefused('token-server', `${endpoint.host} sends its users to ${realm.host}`);
  }
  const scope = `repository:${endpoint.repository}:pull`;
  const call = tokenCall({ realm, challenge, scope, account });
  const answered = await tools.outside.read({ ...call, reach, signal });
  return answered.kind === 'answer' ? tokenFrom(answered, tools.now()) : answered;
}

const known: ServersByHost = {
  'registry-1.docker.io': ['auth.docker.io'],
  'registry.gitlab.com': ['gitlab.com'],
};

type ServersByHost = RegistryOptions['tokenServers'];

/** A realm of plain http is refused at the door, unless the operator has said so of its host. */
function isOwn({ options, outside }: Tools, { host }: Endpoint, realm: URL): boolean {
  const own = new URL(outside.originOf(host));
  if (realm.host === own.host) return realm.protocol === own.protocol;
  return [known, options.tokenServers].some((servers) =>
    listed(servers, host).includes(realm.host),
  );
}

function listed(servers: ServersByHost, host: string): readonly string[] {
  return Object.hasOwn(servers, host) ? (servers[host] ?? []) : [];
}
