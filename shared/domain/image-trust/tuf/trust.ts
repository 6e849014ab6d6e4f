import { covers, inOneSpelling } from './names.ts';

/** What has been proven of a collection before: the root to start from, and the versions not to go back behind. */
export type Anchor = {
  /** The whole file, as it came. */
  readonly root: string;
  readonly seen: SeenRoles;
};

/** By role: a version that was proven, and who signed it. */
export type SeenRoles = Readonly<
  Record<string, { readonly version: number; readonly keyIds: readonly string[] }>
>;

/** Says which roots may be trusted without having been seen before. */
export type Pin = {
  /** Of names, at segment borders; empty for all. Of several the longest decides. */
  readonly prefix: string;
  /** As `root.json` or as `notary key list` has them. */
  readonly keyIds: readonly string[];
  /** PEM: of a root key itself, or of an authority that issued one. */
  readonly certificates: readonly string[];
};

/**
 * What to do with a root that nobody has seen and no pin covers: `defer` where it could not be kept, so that the
 * next one to ask would be the first again.
 */
export type FirstUse = 'allow' | 'refuse' | 'defer';

export type Limits = {
  readonly rootBytes: number;
  readonly timestampBytes: number;
  readonly snapshotBytes: number;
  readonly targetsBytes: number;
  /** How many roots may lie between the one that is known and the newest. */
  readonly rotations: number;
};

/** 10 MiB are some 60,000 tags. */
export const usualLimits: Limits = {
  rootBytes: 1 << 20,
  timestampBytes: 1 << 16,
  snapshotBytes: 1 << 20,
  targetsBytes: 10 << 20,
  rotations: 64,
};

/**
 * Who may write a namespace may run its Notary, and 10 MiB made for it keep a whole process busy for 3 s: once for each
 * role and repository. 2 MiB are some 12,000 tags.
 */
export const namespaceLimits: Limits = {
  rootBytes: 64 << 10,
  timestampBytes: 1 << 16,
  snapshotBytes: 256 << 10,
  targetsBytes: 2 << 20,
  rotations: 64,
};

/** Of the file of a role; delegations are as large as targets. */
export function mostBytes(role: string, limits: Limits): number {
  if (role === 'root') return limits.rootBytes;
  if (role === 'timestamp') return limits.timestampBytes;
  return role === 'snapshot' ? limits.snapshotBytes : limits.targetsBytes;
}

export type Trust = {
  /** `registry.example/team/app` */
  readonly gun: string;
  readonly now: Date;
  readonly anchor: Anchor | undefined;
  readonly pins: readonly Pin[];
  readonly firstUse: FirstUse;
  /** Who may name a target, the first one that does decides. */
  readonly roles: readonly string[];
  readonly limits: Limits;
};

/** Upstream's order. */
export const usualRoles: readonly string[] = ['targets/releases', 'targets'];

export function pinFor({ gun, pins }: Pick<Trust, 'gun' | 'pins'>): Pin | undefined {
  return pins
    .filter(({ prefix }) => covers(prefix, gun))
    .toSorted((one, other) => depthOf(other) - depthOf(one))[0];
}

function depthOf({ prefix }: Pin): number {
  return inOneSpelling(prefix).length;
}
