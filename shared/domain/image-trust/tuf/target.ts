import type { LoadedRole } from './delegations.ts';
import { sha256Of } from './file-proof.ts';
import { type Checked, distrusted, held } from './finding.ts';
import type { FileFacts } from './metadata.ts';
import type { Repository } from './repository.ts';

/** What an image's name says of it. */
export type Wanted = {
  readonly tag: string | undefined;
  /** `sha256:…`; one of them has to be signed. None where any will do. */
  readonly digests: readonly string[];
};

export type SignedTarget = {
  readonly name: string;
  readonly digest: string;
  readonly length: number;
  readonly by: { readonly role: string; readonly keyIds: readonly string[] };
  readonly until: Date;
};

/** A digest without a tag may be any tag's; one that another tag has vouches for nothing. */
export function findTarget(
  { roles, skipped }: Pick<Repository, 'roles' | 'skipped'>,
  { tag, digests }: Wanted,
): Checked<SignedTarget> {
  if (tag === undefined) return ofAnyName(roles, digests);

  const role = roles.find((each) => names(each, tag));
  const stated = role?.targets.get(tag);
  if (role === undefined || stated === undefined) {
    // Why a delegate was not heard tells more than that nobody else knows the name.
    const [mute] = skipped;
    return distrusted(mute?.role ?? 'targets', mute?.why ?? 'no-such-target');
  }
  const target = signedTarget(tag, role, stated);
  if (target === undefined) return distrusted(role.role, 'malformed');
  const isWanted = digests.length === 0 || digests.includes(target.digest);
  return isWanted ? held(target) : distrusted(role.role, 'other-digest');
}

/** A name counts only where the first role that has it has it: what a role before says hides the rest. */
function ofAnyName(
  roles: readonly LoadedRole[],
  digests: readonly string[],
): Checked<SignedTarget> {
  const matching = roles.flatMap((role, at) =>
    [...role.targets].flatMap(([name, stated]) => {
      const isHidden = roles.slice(0, at).some((before) => names(before, name));
      const target = isHidden || !names(role, name) ? undefined : signedTarget(name, role, stated);
      return target !== undefined && digests.includes(target.digest) ? [target] : [];
    }),
  );
  const [first] = matching;
  return first === undefined ? distrusted('targets', 'no-such-target') : held(first);
}

function names({ targets, scopes }: LoadedRole, name: string): boolean {
  return targets.has(name) && scopes.every((paths) => paths.some((path) => name.startsWith(path)));
}

function signedTarget(
  name: string,
  { role, keyIds, until }: LoadedRole,
  stated: FileFacts,
): SignedTarget | undefined {
  const sha256 = sha256Of(stated);
  if (sha256 === undefined) return undefined;
  const by = { role, keyIds };
  return { name, digest: `sha256:${sha256}`, length: stated.length, by, until };
}
