import { type Asking, fetchedAs } from './asking.ts';
import { type Checked, type Distrust, type Failed, held, rolledBack } from './finding.ts';
import type { Cryptography } from './key.ts';
import { type Delegation, type FileFacts, readTargets, type Targets } from './metadata.ts';
import { delegationsAmong } from './names.ts';
import { checkRole, lastVersion, type Proven, seenNow } from './role-check.ts';
import { earliest } from './root-check.ts';
import type { SeenRoles, Trust } from './trust.ts';

export type TargetsFile = Proven<Targets>;

/** A role that may vouch for what it was given to vouch for. */
export type LoadedRole = {
  readonly role: string;
  readonly keyIds: readonly string[];
  readonly targets: Targets['targets'];
  /** Prefixes of names, one list for each role on the way there: a child has no more than its parent. */
  readonly scopes: readonly (readonly string[])[];
  /** The first end on the way from the root to it. */
  readonly until: Date;
  /** The same of what people have to sign anew. */
  readonly renewBy: Date;
};

export type Skipped = { readonly role: string; readonly why: Distrust };

type Context = {
  readonly trust: Trust;
  readonly crypto: Cryptography;
  /** What the snapshot lists. */
  readonly meta: ReadonlyMap<string, FileFacts>;
  readonly until: Date;
  readonly renewBy: Date;
  readonly seen: SeenRoles;
};

export type LoadedRoles = {
  readonly roles: readonly LoadedRole[];
  readonly skipped: readonly Skipped[];
  readonly seen: SeenRoles;
};

type Way = { readonly file: TargetsFile; readonly loaded: LoadedRole };
type Found = ReadonlyMap<string, Way | Skipped | undefined>;

/** Only the roles that are asked, and those on the way to them: a delegation nobody accepts costs nothing. */
export function* loadRoles(top: TargetsFile, context: Context): Asking<Checked<LoadedRoles>> {
  const { roles } = context.trust;
  const found = yield* loadEach(delegationsAmong(roles), {
    found: new Map([['targets', { file: top, loaded: topRole(top, context) }]]),
    context,
  });
  if (!found.ok) return found;

  const ways = [...found.value.values()].filter(isWay);
  const skipped = [...found.value.values()].filter(isSkipped);
  const unread = [...found.value.keys()].filter((role) =>
    skipped.some((each) => isWithin(role, each.role)),
  );
  return held({
    roles: roles.flatMap((role) => ways.find((way) => way.loaded.role === role)?.loaded ?? []),
    skipped,
    seen: Object.fromEntries([
      // Of one that is not delegated any more nothing is kept: made again it may begin at 1.
      ...unread.flatMap((role) => entryOf(role, context.seen[role])),
      ...ways.flatMap(({ file, loaded }) => entryOf(loaded.role, seenNow(file))),
    ]),
  });
}

/** The role itself, or one whose way leads by it. */
function isWithin(role: string, other: string): boolean {
  return role === other || role.startsWith(`${other}/`);
}

function entryOf(role: string, seen: SeenRoles[string] | undefined) {
  return seen === undefined ? [] : [[role, seen] as const];
}

type Rest = { readonly found: Found; readonly context: Context };

/** Parents stand before their children. */
function* loadEach(
  [role, ...others]: readonly string[],
  { found, context }: Rest,
): Asking<Checked<Found>> {
  if (role === undefined) return held(found);
  const parent = found.get(role.slice(0, role.lastIndexOf('/')));
  const way = isWay(parent) ? yield* loadChild(role, parent, context) : held(undefined);
  if (!way.ok) return way;
  return yield* loadEach(others, { found: new Map([...found, [role, way.value]]), context });
}

function* loadChild(
  role: string,
  parent: Way,
  context: Context,
): Asking<Checked<Way | Skipped | undefined>> {
  const delegation = parent.file.content.delegations.find(({ name }) => name === role);
  if (delegation === undefined) return held(undefined);
  const stated = context.meta.get(role);
  if (stated === undefined) return unpublished(delegation, context);

  const file = yield* readDelegated(delegation, stated, context);
  if (!file.ok) return skippedOr(file, delegation, context);
  const { keyIds, content } = file.value;
  return held({
    file: file.value,
    loaded: {
      role,
      keyIds,
      targets: content.targets,
      scopes: [...parent.loaded.scopes, delegation.paths],
      until: earliest([parent.loaded.until, content.expires]),
      renewBy: earliest([parent.loaded.renewBy, content.expires]),
    },
  });
}

/** Once it was, whoever lists the files alone must not have the parent say again what the delegate has replaced. */
function unpublished({ name, signers }: Delegation, { seen }: Context): Checked<undefined> {
  const last = lastVersion(seen[name], signers);
  return last > 0 ? rolledBack(name, last) : held(undefined);
}

function* readDelegated(
  { name, signers }: Delegation,
  stated: FileFacts,
  { trust, crypto, seen }: Context,
): Asking<Checked<TargetsFile>> {
  const maxBytes = trust.limits.targetsBytes;
  const envelope = yield* fetchedAs(name, { stated, maxBytes, crypto });
  if (!envelope.ok) return envelope;
  return checkRole(
    name,
    { envelope: envelope.value, read: (from) => readTargets(name, from) },
    { signers, crypto, now: trust.now, seen },
  );
}

/**
 * As upstream: a delegate whose keys were taken away, or who let his file expire, says nothing any more, and the others
 * still speak for themselves. Of one that was heard, by keys that he still has, whoever signs lists alone cannot bring that
 * about by a file without a signature; he can by serving the last one until it expires, and nothing newer.
 */
function skippedOr(
  failed: Failed,
  { name: role, signers }: Delegation,
  { seen }: Context,
): Checked<Skipped> {
  const { flaw } = failed;
  const isLeft = flaw.why === 'bad-signature' && lastVersion(seen[role], signers) === 0;
  if (flaw.kind !== 'untrusted' || !(isLeft || flaw.why === 'expired')) return failed;
  return held({ role, why: flaw.why });
}

function topRole({ content, keyIds }: TargetsFile, { until, renewBy }: Context): LoadedRole {
  return {
    role: 'targets',
    keyIds,
    targets: content.targets,
    scopes: [],
    until: earliest([until, content.expires]),
    renewBy: earliest([renewBy, content.expires]),
  };
}

function isWay(found: Way | Skipped | undefined): found is Way {
  return found !== undefined && 'file' in found;
}

function isSkipped(found: Way | Skipped | undefined): found is Skipped {
  return found !== undefined && 'why' in found;
}
