export type Credential =
  | { readonly kind: 'password'; readonly username: string; readonly password: string }
  /** Exchanged for an access token at the registry's token server (`docker login` by a browser writes it). */
  | { readonly kind: 'identity-token'; readonly token: string }
  /** Shown to the registry as it is. */
  | { readonly kind: 'registry-token'; readonly token: string };

/** One line of a Docker configuration: where it holds, and what is shown there. */
export type RegistryLogin = KnownLogin | typeof unreadLogin | LeftOutLogin;

export type KnownLogin = {
  /** `https://index.docker.io/v1/`, `*.example.io`, `registry.example:5000/team` */
  readonly place: string;
  readonly credential: Credential;
};

const unknown = { place: undefined, credential: undefined } as const;
/** Of a Secret that could not be read just now: nobody knows where it holds. */
export const unreadLogin = { ...unknown, why: 'unread' } as const;

/** More than are read: for the cluster's user, how many that is and what to do about it. */
export type LeftOutLogin = typeof unknown & { readonly why: 'left-out'; readonly told: string };

export function leftOutLogin(told: string): LeftOutLogin {
  return { ...unknown, why: 'left-out', told };
}

export function isUnread(logins: readonly RegistryLogin[]): boolean {
  return logins.some((each) => 'why' in each && each.why === 'unread');
}

/** What is told of those that were left out, each once. */
export function toldOfLeftOut(logins: readonly RegistryLogin[]): readonly string[] {
  const told = logins.flatMap((each) =>
    'why' in each && each.why === 'left-out' ? each.told : [],
  );
  return [...new Set(told)];
}
