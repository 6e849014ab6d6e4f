import { isJsonObject, type Json } from '../../json.ts';
import { fromHex, toBase64 } from './bytes.ts';
import type { LoadedRole } from './delegations.ts';
import { sha256Of } from './file-proof.ts';
import { type Checked, distrusted, held } from './finding.ts';
import { readFacts } from './metadata.ts';
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
  /** When somebody has to have signed anew. */
  readonly renewBy: Date;
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
  const hashes = digests.map(base64Of);
  const matching = roles.flatMap((role, at) =>
    [...role.targets].flatMap(([name, stated]) => {
      if (!mentions(stated, hashes)) return [];
      const isHidden = roles.slice(0, at).some((before) => names(before, name));
      const target = isHidden || !names(role, name) ? undefined : signedTarget(name, role, stated);
      return target === undefined ? [] : [target];
    }),
  );
  const [first] = matching;
  if (first !== undefined) return held(first);
  // What is no digest is another one than whatever is signed.
  const isAny = hashes.every((hash) => hash === undefined);
  const isOther = isAny && roles.some(({ targets }) => targets.size > 0);
  return distrusted('targets', isOther ? 'other-digest' : 'no-such-target');
}

function names({ targets, scopes }: LoadedRole, name: string): boolean {
  return targets.has(name) && scopes.every((paths) => paths.some((path) => name.startsWith(path)));
}

/**
 * Whoever vouches is told by his name, in terminals too. No tag has one of these: only a digest could be asked for beside it. Of
 * the controls DEL does nothing, and is what Debian's notary signs.
 */
const unreadable = /[^\P{C}\u007f]/u;

function signedTarget(
  name: string,
  { role, keyIds, until, renewBy }: LoadedRole,
  stated: Json,
): SignedTarget | undefined {
  const facts = readFacts(stated);
  const sha256 = facts && sha256Of(facts);
  if (facts === undefined || sha256 === undefined || unreadable.test(name)) return undefined;
  return {
    name,
    digest: `sha256:${sha256}`,
    length: facts.length,
    by: { role, keyIds },
    ...{ until, renewBy },
  };
}

/** As metadata writes them: read from its form, each of a great many targets would be decoded first. */
function base64Of(digest: string): string | undefined {
  const [, hex = ''] = /^sha256:([0-9a-f]{64})$/.exec(digest) ?? [];
  return hex === '' ? undefined : toBase64(fromHex(hex));
}

function mentions(stated: Json, hashes: readonly (string | undefined)[]): boolean {
  const own = isJsonObject(stated) ? stated['hashes'] : undefined;
  const sha256 = own !== undefined && isJsonObject(own) ? own['sha256'] : undefined;
  return typeof sha256 === 'string' && hashes.includes(sha256);
}
