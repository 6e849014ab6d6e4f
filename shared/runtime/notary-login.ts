import type { Credentials } from '#shared/adapters/notary/session.ts';
import type { ImageTrustSettings } from '#shared/domain/image-trust/settings.ts';
import type { Reach } from '#shared/domain/outside.ts';
import { isUnread, type RegistryLogin } from '#shared/domain/registry/credential.ts';
import { credentialsFor } from '#shared/domain/registry/keyring.ts';

/** What a Secret in our own namespace holds. */
export type OwnSecrets = { loginsIn(secret: string): Promise<readonly RegistryLogin[]> };

type Asking = OwnSecrets & { readonly settings: ImageTrustSettings };

type Place = { readonly url: URL; readonly reach: Reach; readonly gun: string };

/** The platform's login is for the platform's Notary alone: whom a namespace names is shown nothing. */
export async function notaryLogin(
  { url: { host }, reach, gun }: Place,
  { settings: { notary, tokenServers }, loginsIn }: Asking,
): Promise<Credentials | 'unread' | undefined> {
  if (reach === 'public' || notary.secret === '') return undefined;
  const logins = await loginsIn(notary.secret);
  const found = credentialsFor({ registry: host, repository: gun }, logins);
  const login = found.find((each) => each.kind === 'password');
  if (login === undefined) return isUnread(logins) ? 'unread' : undefined;
  const shownTo = Object.hasOwn(tokenServers, host) ? (tokenServers[host] ?? []) : [];
  return { ...login, shownTo };
}
