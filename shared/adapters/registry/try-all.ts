import { isUnread, toldOfLeftOut } from '#shared/domain/registry/credential.ts';
import type { Sha256Digest } from '#shared/domain/registry/digest.ts';
import { type Endpoint, endpointsOf } from '#shared/domain/registry/endpoint.ts';
import { credentialsFor, type RepositoryPlace } from '#shared/domain/registry/keyring.ts';
import { meaningOf } from '#shared/domain/registry/refusal.ts';
import {
  type NotFound,
  type Read,
  type ReadFailure,
  type RegistryAccess,
  readRefused,
} from '#shared/domain/registry/registry.ts';
import { type Account, accountKey } from './account.ts';
import { lookAt } from './manifest-at.ts';
import { isFailure } from './outcome.ts';
import type { Tools } from './tools.ts';

export type Try<T> = (endpoint: Endpoint, account: Account) => Promise<Read<T>>;

export type Search<T> = RepositoryPlace &
  RegistryAccess & {
    /** The image that what is looked for is about. */
    readonly subject?: Sha256Digest | undefined;
    /** Whether an answer has something in it; one without is an answer where nobody has more. */
    readonly isEnough?: (found: T) => boolean;
  };

/** More credentials for one image than this are not tried: each is a request. */
const mostAccounts = 8;
const tooManyAccounts =
  `the pull secrets hold more than ${mostAccounts} different logins for it, and the first ${mostAccounts} are tried: ` +
  'take out those that do not open it';

type Found = { readonly kind: 'found' };

/** Mirrors first, the registry last; what it says counts where none of them has it. */
export async function tryAll<T extends Found>(
  tools: Tools,
  search: Search<T>,
  attempt: Try<T>,
): Promise<Read<T>> {
  const outcomes: Read<T>[] = [];
  for (const endpoint of endpointsOf(search, tools.options.mirrors)) {
    const read = await asEach(tools, { ...search, endpoint }, attempt);
    if (isWanted(read, search)) return read;
    outcomes.push(read);
  }
  return outcomes.at(-1) ?? nowhere;
}

type SearchAt<T> = Search<T> & { readonly endpoint: Endpoint };

/** The credentials that the kubelet would try, in its order; as nobody where none of them opens. */
async function asEach<T extends Found>(
  tools: Tools,
  search: SearchAt<T>,
  attempt: Try<T>,
): Promise<Read<T>> {
  const { endpoint, logins } = search;
  const outcomes: Read<T>[] = [];
  const distinct = distinctFor(endpoint, logins);
  for (const account of [...distinct.slice(0, mostAccounts), undefined]) {
    const told = await weighed(tools, search, { account, read: await attempt(endpoint, account) });
    if (told.isLast) return told.read;
    outcomes.push(told.read);
  }
  if (isUnread(logins)) return unreadLogins;
  const leftOut = [
    ...toldOfLeftOut(logins),
    ...(distinct.length > mostAccounts ? [tooManyAccounts] : []),
  ];
  // No outage: else whoever writes so large a Secret has all admitted where nobody is strict.
  if (leftOut.length > 0) return readRefused('login-left-out', leftOut.join('; '));
  // The first refusal is about the credentials that were meant for it; that it is missing says more.
  return outcomes.find(({ kind }) => kind === 'not-found') ?? outcomes[0] ?? nowhere;
}

/** Each once: a wrong password that stands in many Secrets would soon have its account locked. */
function distinctFor(endpoint: Endpoint, logins: RegistryAccess['logins']): readonly Account[] {
  const distinct = new Map<string, Account>();
  for (const each of credentialsFor(endpoint, logins)) {
    distinct.set(accountKey(each), each);
    // Of those that are not tried one is enough to tell of them.
    if (distinct.size > mostAccounts) break;
  }
  return [...distinct.values()];
}

type Told<T> = { readonly account: Account; readonly read: Read<T> };

/** Who hides an image may say anything of what is about it: that is believed by whoever is shown the image there. */
async function weighed<T extends Found>(
  tools: Tools,
  search: SearchAt<T>,
  { account, read }: Told<T>,
): Promise<{ readonly read: Read<T>; readonly isLast: boolean }> {
  const { endpoint, subject } = search;
  if (isWanted(read, search)) return { read, isLast: true };
  if (subject === undefined || !isAnswer(read)) return { read, isLast: !isWorthAnother(read) };
  const seen = await lookAt(tools, { endpoint, account, access: search }, subject);
  switch (seen.kind) {
    case 'shown':
      return { read, isLast: true };
    case 'hidden':
      return { read: hiddenBy(endpoint), isLast: false };
    case 'unavailable':
      return { read: seen, isLast: true };
  }
}

function isWanted<T extends Found>(read: Read<T>, { isEnough }: Search<T>): boolean {
  return !isFailure(read) && (isEnough?.(read) ?? true);
}

/** Nothing, or something else than what was asked for: neither an outage nor a refusal that says so. */
function isAnswer<T extends Found>(read: Read<T>): boolean {
  return !isFailure(read) || ['missing', 'withheld', 'a-page', 'flawed'].includes(meaningOf(read));
}

function hiddenBy({ host }: Endpoint): ReadFailure {
  return readRefused('denied', `${host} does not show what it is about`);
}

const unreadLogins: ReadFailure = {
  kind: 'unavailable',
  why: 'login-unread',
  about: 'credentials that could not be read may open it',
};

const nowhere: NotFound = { kind: 'not-found', about: 'nobody was asked' };

/** Registries hide what one may not see behind 404 and other answers too, and ask for a login by a page for people. */
function isWorthAnother<T extends Found>(read: Read<T>): boolean {
  return isFailure(read) && ['missing', 'denied', 'withheld', 'a-page'].includes(meaningOf(read));
}
