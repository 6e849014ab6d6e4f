import { type Attack, attack, published } from '../attack.ts';
import { certified } from '../certified.ts';
import { moved } from '../present.ts';
import { type Plan, publish, type Role } from '../publish.ts';
import { gun, knownAfter, plan } from '../scene.ts';
import { inCertificate, type Signer } from '../signer.ts';

async function issuedBy({ issuer }: Awaited<ReturnType<typeof certified>>): Promise<Signer> {
  const { pem, privateKey } = await certified({ commonName: gun, issuer });
  return inCertificate(pem, privateKey);
}

/** The one that is pinned beside its successor ends in a day. */
const ending = { isAuthority: true, notAfter: new Date('2030-01-02T00:00:00Z') };
const oldCa = await certified({ commonName: 'an authority that ends', ...ending });
const newCa = await certified({ commonName: 'its successor', isAuthority: true });
const underOld = await issuedBy(oldCa);
const underNew = await issuedBy(newCa);
const bothPinned = {
  pins: [{ prefix: '', keyIds: [], certificates: [oldCa.pem, newCa.pem] }],
  firstUse: 'refuse',
} as const;
const rootOf = (root: Role, version: number): Plan => ({
  ...plan,
  root,
  timestamp: { ...plan.timestamp, version },
  snapshot: { ...plan.snapshot, version },
  targets: { ...plan.targets, version },
});
const pinnedAt9 = rootOf({ signers: [underOld] }, 9);
const handedOver: Role = { version: 2, signers: [underNew], signedBy: [underOld, underNew] };
const afterTheEnd = {
  trust: {
    ...bothPinned,
    anchor: knownAfter([publish(pinnedAt9)], bothPinned),
    now: moved(new Date('2030-01-03T00:00:00Z')),
  },
};

/** By who waits until what is known cannot be proven by itself any more. */
export const endingAttacks: readonly Attack[] = [
  attack(
    'older targets under the successor of a pinned authority that has ended',
    { files: published(pinnedAt9, rootOf(handedOver, 3)), ...afterTheEnd },
    ['rollback', 'timestamp'],
    { files: published(pinnedAt9, rootOf(handedOver, 9)), ...afterTheEnd },
  ),
  attack(
    'a root by the successor of a pinned authority that has ended, which the root before it did not sign',
    {
      files: published(pinnedAt9, rootOf({ ...handedOver, signedBy: [underNew] }, 9)),
      ...afterTheEnd,
    },
    ['root-rotation', 'root'],
    { files: published(pinnedAt9, rootOf(handedOver, 9)), ...afterTheEnd },
  ),
];
