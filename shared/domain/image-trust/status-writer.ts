export type UserInfo = { readonly username: string; readonly groups: readonly string[] };

type Writers = {
  /** Where Gatehouse runs, and nothing else. */
  readonly installation: string;
  /** Users and groups that the operator names. */
  readonly named: readonly string[];
};

/** Who may say what is known of a pod's images. Whoever may do everything could switch us off as well. */
export function isStatusWriter(
  { username, groups }: UserInfo,
  { installation, named }: Writers,
): boolean {
  const known = [`system:serviceaccounts:${installation}`, 'system:masters', ...named];
  return known.includes(username) || groups.some((group) => known.includes(group));
}
