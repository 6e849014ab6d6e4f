/** Postgres refuses to run as root, and initdb as anybody without a name. */
export type Way =
  | { readonly kind: 'self' }
  /** As another user: only root can. */
  | { readonly kind: 'user'; readonly account: Account }
  /** As another user in the eyes of Postgres alone; to the rest of the machine it stays us. */
  | { readonly kind: 'namespace'; readonly account: Account };

export type Account = { readonly name: string; readonly uid: number; readonly gid: number };

type Ids = Pick<Account, 'uid' | 'gid'>;

export type Run = {
  readonly command: string;
  readonly args: readonly string[];
  readonly as: { readonly uid?: number; readonly gid?: number };
};

export function accountsIn(passwd: string): readonly Account[] {
  return passwd.split('\n').flatMap((line) => {
    const [name = '', , uid = '', gid = ''] = line.split(':');
    return /^\d+$/.test(uid) && /^\d+$/.test(gid)
      ? [{ name, uid: Number(uid), gid: Number(gid) }]
      : [];
  });
}

/** Best first. Those that the machine does not allow are found out by trying. */
export function waysFor(uid: number, accounts: readonly Account[]): readonly Way[] {
  if (uid !== 0 && accounts.some((account) => account.uid === uid)) return [{ kind: 'self' }];
  const account = stranger(accounts);
  if (account === undefined) return [];
  const namespace: Way = { kind: 'namespace', account };
  return uid === 0 ? [{ kind: 'user', account }, namespace] : [namespace];
}

/** Root looks into what is another user's as that user, who so keeps it. */
export function ownersFirst(
  ways: readonly Way[],
  { me, owner }: { readonly me: Ids; readonly owner: Ids | undefined },
): readonly Way[] {
  if (me.uid !== 0 || owner === undefined || owner.uid === 0) return ways;
  const { uid, gid } = owner;
  const isTheirs = (way: Way) => way.kind === 'user' && way.account.uid === uid;
  const own: Way = { kind: 'user', account: { name: `with the id ${uid}`, uid, gid } };
  return [ways.find(isTheirs) ?? own, ...ways.filter((way) => !isTheirs(way))];
}

function stranger(accounts: readonly Account[]): Account | undefined {
  const named = (name: string) => accounts.find((each) => each.name === name && each.uid !== 0);
  return named('postgres') ?? named('nobody') ?? accounts.find(({ uid }) => uid !== 0);
}

export function run(way: Way, command: string, args: readonly string[]): Run {
  if (way.kind === 'self') return { command, args, as: {} };
  const { uid, gid } = way.account;
  if (way.kind === 'user') return { command, args, as: { uid, gid } };
  const mapping = ['--user', `--map-user=${uid}`, `--map-group=${gid}`, '--'];
  return { command: 'unshare', args: [...mapping, command, ...args], as: {} };
}

/** Whose the files must be, as seen from outside. */
export function ownerOf(way: Way, me: Ids): Ids {
  return way.kind === 'user' ? way.account : me;
}
