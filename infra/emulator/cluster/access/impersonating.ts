import type { Attributes, Credentials, User } from '../parts.ts';
import { badRequest, type Refusal } from '../refusal.ts';
import { forbidden } from './forbidden.ts';
import type { Decision } from './rbac/authorizing.ts';
import { serviceAccountGroups } from './tokens/holding.ts';

type Headers = Credentials['impersonate'];

/** Who speaks from here on: himself, or whom the `Impersonate-` headers name where he may. */
export function impersonated(
  user: User,
  headers: Headers,
  decide: (attributes: Attributes) => Decision,
): User | Refusal {
  const asked = askedBy(headers);
  if (asked.user === undefined) return asked.isNothing ? user : withoutUser(asked);
  for (const attributes of actsOf(asked, asked.user, user)) {
    const { allowed, reason } = decide(attributes);
    if (!allowed) return forbidden(attributes, reason);
  }
  return become(asked, asked.user);
}

type Asked = {
  readonly user: string | undefined;
  readonly groups: readonly string[];
  readonly uid: string | undefined;
  readonly extra: Readonly<Record<string, readonly string[]>>;
  readonly isNothing: boolean;
};

const extraPrefix = 'impersonate-extra-';

function askedBy(stated: Headers): Asked {
  const headers = Object.entries(stated).map(
    ([name, values]) => [name.toLowerCase(), values] as const,
  );
  const all = new Map(headers);
  const extra = headers
    .filter(([name]) => name.startsWith(extraPrefix))
    .map(([name, values]) => [unescaped(name.slice(extraPrefix.length)), values]);
  const first = (name: string) => all.get(name)?.[0] || undefined;
  return {
    user: first('impersonate-user'),
    groups: all.get('impersonate-group') ?? [],
    uid: first('impersonate-uid'),
    extra: Object.fromEntries(extra),
    isNothing: headers.length === 0,
  };
}

/** A key that is no escape is taken as it stands. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key).toLowerCase();
  } catch {
    return key.toLowerCase();
  }
}

/** As Go prints the references that the real server makes of the headers. */
function withoutUser({ groups, extra, uid }: Asked): Refusal {
  const api = 'authentication.k8s.io/v1';
  const references = [
    ...groups.map((group) => `{Group  ${group}    }`),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => `{UserExtra  ${value}  ${api}  ${key}}`),
    ),
    ...(uid === undefined ? [] : [`{UID  ${uid}  ${api}  }`]),
  ];
  return badRequest(`requested [${references.join(' ')}] without impersonating a user`);
}

const account = /^system:serviceaccount:([^:]+):([^:]+)$/;

function actsOf({ groups, extra, uid }: Asked, name: string, user: User): readonly Attributes[] {
  const act = { user, verb: 'impersonate', group: '', version: 'v1' };
  const about = { ...act, group: 'authentication.k8s.io' };
  const [, namespace, serviceAccount] = account.exec(name) ?? [];
  return [
    namespace === undefined
      ? { ...act, resource: 'users', name }
      : { ...act, resource: 'serviceaccounts', namespace, name: serviceAccount },
    ...groups.map((group) => ({ ...act, resource: 'groups', name: group })),
    ...Object.entries(extra).flatMap(([subresource, values]) =>
      values.map((value) => ({ ...about, resource: 'userextras', subresource, name: value })),
    ),
    ...(uid === undefined ? [] : [{ ...about, resource: 'uids', name: uid }]),
  ];
}

function become({ groups, extra, uid }: Asked, name: string): User {
  const namespace = account.exec(name)?.[1];
  const own =
    groups.length === 0 && namespace !== undefined ? serviceAccountGroups(namespace) : groups;
  return {
    name,
    ...(uid !== undefined && { uid }),
    groups: [...own, ...impliedGroup(name, own)],
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

function impliedGroup(name: string, groups: readonly string[]): readonly string[] {
  const [signedIn, stranger] = ['system:authenticated', 'system:unauthenticated'];
  if (name === 'system:anonymous') return groups.includes(stranger) ? [] : [stranger];
  return groups.includes(signedIn) || groups.includes(stranger) ? [] : [signedIn];
}
