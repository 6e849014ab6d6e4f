import { nodeCryptography } from '#shared/adapters/notary/cryptography.ts';
import type { Ask, Asking, Reply } from '#shared/domain/image-trust/tuf/asking.ts';
import type { Wanted } from '#shared/domain/image-trust/tuf/target.ts';
import {
  type Anchor,
  type Trust,
  usualLimits,
  usualRoles,
} from '#shared/domain/image-trust/tuf/trust.ts';
import { type Verified, verifyTarget } from '#shared/domain/image-trust/tuf/verify-target.ts';
import { certified } from './certified.ts';
import { moved } from './present.ts';
import { digestFor, type Files, type Plan } from './publish.ts';
import { edwards, elliptic, inCertificate, type Signer } from './signer.ts';

export const gun = 'registry.example/team/app';
export const now = moved(new Date('2030-01-01T00:00:00Z'));

/** Made once: nothing depends on which keys they are. */
export const owner = await rootSigner(gun);
export const successor = await rootSigner(gun);
export const stranger = await rootSigner(gun);
export const [targetsKey, snapshotKey, timestampKey, delegate, thief] = [
  elliptic(),
  elliptic(),
  edwards(),
  elliptic(),
  elliptic(),
] as const;

export async function rootSigner(commonName: string): Promise<Signer> {
  const { pem, privateKey } = await certified({ commonName });
  return inCertificate(pem, privateKey);
}

export const goodDigest = digestFor('good');
export const evilDigest = digestFor('evil');

/** One owner, one tag. */
export const plan: Plan = {
  root: { signers: [owner] },
  timestamp: { signers: [timestampKey] },
  snapshot: { signers: [snapshotKey] },
  targets: { signers: [targetsKey] },
  signed: { '1.0': goodDigest },
};

export const trust: Trust = {
  gun,
  now,
  anchor: undefined,
  pins: [],
  firstUse: 'allow',
  roles: usualRoles,
  limits: usualLimits,
};

export const wanted: Wanted = { tag: '1.0', digests: [] };

export type Scene = {
  readonly files: Files;
  readonly trust?: Partial<Trust>;
  readonly wanted?: Partial<Wanted>;
  /** What the server does instead of serving a file. */
  readonly instead?: (ask: Ask) => Reply | undefined;
};

export function verified(scene: Scene): Verified {
  const asking = verifyTarget(
    { ...wanted, ...scene.wanted },
    { ...trust, ...scene.trust },
    nodeCryptography,
  );
  return played(asking, (ask) => scene.instead?.(ask) ?? replyOf(scene.files, ask));
}

/** What a client would know of a collection that has seen it so, one after the other. */
export function anchorOf(first: Files, ...rest: readonly Files[]): Anchor {
  return knownAfter([first, ...rest], {});
}

export function knownAfter(shown: readonly Files[], as: Partial<Trust>): Anchor {
  const anchor = shown.reduce<Anchor | undefined>((known, files) => {
    const { repository } = verified({ files, trust: { ...as, anchor: known } });
    if (repository === undefined) throw new Error('this collection does not hold together');
    return repository.anchor;
  }, undefined);
  if (anchor === undefined) throw new Error('nothing was seen');
  seen.set(anchor, shown);
  return anchor;
}

const seen = new WeakMap<object, readonly Files[]>();

/** By what somebody came to know this, one after the other. */
export function filesSeen(anchor: object): readonly Files[] | undefined {
  return seen.get(anchor);
}

export function played<T>(asking: Asking<T>, server: (ask: Ask) => Reply): T {
  let step = asking.next();
  while (step.done !== true) step = asking.next(server(step.value));
  return step.value;
}

export function replyOf(files: Files, ask: Ask): Reply {
  const bytes = files.get(nameOf(ask));
  if (bytes === undefined) return { kind: 'absent' };
  return bytes.length > ask.maxBytes ? { kind: 'too-large' } : { kind: 'file', bytes };
}

function nameOf({ role, at }: Ask): string {
  if (at.kind === 'latest') return `${role}.json`;
  return at.kind === 'version' ? `${at.version}.${role}.json` : `${role}.${at.sha256}.json`;
}
