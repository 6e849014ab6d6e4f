import { isUnread } from '#shared/domain/registry/credential.ts';
import { type Endpoint, endpointsOf } from '#shared/domain/registry/endpoint.ts';
import { credentialsFor, type RepositoryPlace } from '#shared/domain/registry/keyring.ts';
import type {
  NotFound,
  Read,
  ReadFailure,
  RegistryAccess,
} from '#shared/domain/registry/registry.ts';
import type { Account } from './account.ts';
import { isFailure } from './outcome.ts';
import type { Tools } from './tools.ts';

export type Try<T> = (endpoint: Endpoint, account: Account) => Promise<Read<T>>;

/** More credentials for one image than this are not tried: each is a request. */
const mostAccounts = 8;

type Found = { readonly kind: 'found' };

/** Mirrors first, the registry last; what it says counts where none of them has it. */
export async function tryAll<T extends Found>(
  tools: Tools,
  place: RepositoryPlace & RegistryAccess,
  attempt: Try<T>,
): Promise<Read<T>> {
  const outcomes: ReadFailure[] = [];
  for (const endpoint of endpointsOf(place, tools.options.mirrors)) {
    const read = await asEach(endpoint, place, attempt);
    if (!isFailure(read)) return read;
    outcomes.push(read);
  }
  return outcomes.at(-1) ?? nowhere;
}

/** The credentials that the kubelet would try, in its order; as nobody where none of them opens. */
async function asEach<T extends Found>(
  endpoint: Endpoint,
  { logins }: RegistryAccess,
  attempt: Try<T>,
): Promise<Read<T>> {
  const credentials = credentialsFor(endpoint, logins).slice(0, mostAccounts);
  const outcomes: ReadFailure[] = [];
  for (const account of [...credentials, undefined]) {
    const read = await attempt(endpoint, account);
    if (!isFailure(read) || !isWorthAnother(read)) return read;
    outcomes.push(read);
  }
  // The first refusal is about the credentials that were meant for it; that it is missing says more.
  const missing = outcomes.find(({ kind }) => kind === 'not-found');
  return missing ?? (isUnread(logins) ? unreadLogins : (outcomes[0] ?? nowhere));
}

const unreadLogins: ReadFailure = {
  kind: 'unavailable',
  why: 'login-unread',
  about: 'credentials that could not be read may open it',
};

const nowhere: NotFound = { kind: 'not-found', about: 'nobody was asked' };

/** Registries hide what one may not see behind 404 too. */
function isWorthAnother(failure: ReadFailure): boolean {
  if (failure.kind === 'not-found') return true;
  return (
    failure.kind === 'refused' && ['denied', 'challenge', 'token-server'].includes(failure.why)
  );
}
