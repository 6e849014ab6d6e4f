export type Credential =
  | { readonly kind: 'password'; readonly username: string; readonly password: string }
  /** Exchanged for an access token at the registry's token server (`docker login` by a browser writes it). */
  | { readonly kind: 'identity-token'; readonly token: string }
  /** Shown to the registry as it is. */
  | { readonly kind: 'registry-token'; readonly token: string };

/** One line of a Docker configuration: where it holds, and what is shown there. */
export type RegistryLogin = KnownLogin | typeof unreadLogin | typeof leftOutLogin;

export type KnownLogin = {
  /** `https://index.docker.io/v1/`, `*.example.io`, `registry.example:5000/team` */
  readonly place: string;
  readonly credential: Credential;
};

const unknown = { place: undefined, credential: undefined } as const;
/** Of a Secret that could not be read just now: nobody knows where it holds. */
export const unreadLogin = { ...unknown, why: 'unread' } as const;
/** Of a Secret with more entries than are read. */
export const leftOutLogin = { ...unknown, why: 'left-out' } as const;

export function isUnread(logins: readonly RegistryLogin[]): boolean {
  return logins.some((each) => 'why' in each && each.why === 'unread');
}

export function isLeftOut(logins: readonly RegistryLogin[]): boolean {
  return logins.some((each) => 'why' in each && each.why === 'left-out');
}
