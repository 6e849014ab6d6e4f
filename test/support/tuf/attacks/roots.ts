import { type Attack, attack, published, swapped } from '../attack.ts';
import { certified, strangeKeys, withKeyBytes } from '../certified.ts';
import { type Plan, publish, type Role } from '../publish.ts';
import {
  anchorOf,
  gun,
  owner,
  plan,
  rootSigner,
  stranger,
  successor,
  thief,
  timestampKey,
} from '../scene.ts';
import { bare, elliptic, inCertificate, type Signer } from '../signer.ts';

const third = await rootSigner(gun);
const honest = publish(plan);
const anchor = anchorOf(honest);
const seen = { trust: { anchor } };
const rootOf = (root: Role, more: Partial<Plan> = {}): Plan => ({ ...plan, root, ...more });
const rotated = rootOf({ version: 2, signers: [successor], signedBy: [owner, successor] });
const twice = rootOf({ version: 3, signers: [third], signedBy: [successor, third] });
const newTimestampKey: Plan = { ...rotated, timestamp: { signers: [thief] } };
const without = (files: ReadonlyMap<string, Uint8Array>, name: string) =>
  new Map([...files].filter(([each]) => each !== name));

const issue = async (wish: Partial<Parameters<typeof certified>[0]>): Promise<Signer> => {
  const { pem, privateKey } = await certified({ commonName: gun, ...wish });
  return inCertificate(pem, privateKey);
};
const alone = (signer: Signer) => ({ files: publish(rootOf({ signers: [signer] })) });
const ca = await certified({ commonName: 'some authority', isAuthority: true });
const issued = await certified({ commonName: gun, issuer: ca.issuer });
const loose = await certified({ commonName: gun });
const chained = inCertificate(issued.pem + ca.pem, issued.privateKey);
const doubled = inCertificate(issued.pem + loose.pem, issued.privateKey);
const bothOwners = { signers: [owner, successor], threshold: 2 };

const certificates = await Promise.all(
  (
    [
      ["another collection's", { commonName: 'registry.example/team/other' }, {}],
      ['a name that only begins as ours', { commonName: `${gun}-evil` }, { commonName: gun }],
      [
        'a wildcard that covers others',
        { commonName: 'registry.example/others/*' },
        { commonName: 'registry.example/team/*' },
      ],
      ['an end that is past', { notAfter: new Date('2029-12-31T00:00:00Z') }, {}],
      [
        'a beginning that is to come',
        { notBefore: new Date('2030-01-02T00:00:01Z') },
        { notBefore: new Date('2030-01-01T12:00:00Z') },
      ],
      ["an authority's", { isAuthority: true }, {}],
      ['a signature by SHA-1', { kind: 'sha1-rsa' }, { kind: 'rsa' }],
      ['an RSA key of 1024 bits', { kind: 'short-rsa' }, { kind: 'rsa' }],
    ] as const
  ).map(async ([what, evil, benign]) => ({
    what,
    evil: await issue(evil),
    benign: await issue(benign),
  })),
);

const nameless = await issue({ commonName: '' });
const strange = Object.entries(strangeKeys).map(([what, bytes]) => ({
  what,
  evil: inCertificate(withKeyBytes(loose.pem, bytes), loose.privateKey),
  why: 'root-rotation' as const,
}));
/** A certificate of the form, of which some library throws where it reads it. */
const unreadable = [
  // What follows a root needs no name to be signed by the one before, and one to be used.
  { what: 'no subject', evil: nameless, why: 'bad-certificate' as const },
  ...strange.map(({ what, ...rest }) => ({ what: `a key ${what}`, ...rest })),
];
const followedBy = (signer: Signer) => ({
  files: published(plan, rootOf({ version: 2, signers: [signer], signedBy: [owner, signer] })),
  ...seen,
});

const many = await Promise.all(Array.from({ length: 33 }, () => issue({})));
const inMany = (count: number) => {
  const signers = [owner, ...many.slice(1, count)];
  return { version: 2, signers, signedBy: [owner] };
};

/** By who would be the root. */
export const rootAttacks: readonly Attack[] = [
  attack(
    'a stranger who takes over a collection that was seen',
    { files: publish(rootOf({ signers: [stranger] })), ...seen },
    ['root-rotation', 'root'],
    { files: honest, ...seen },
  ),
  attack(
    'a new root that only its own key signed',
    { files: published(plan, rootOf({ version: 2, signers: [stranger] })), ...seen },
    ['root-rotation', 'root'],
    { files: published(plan, rotated), ...seen },
  ),
  attack(
    'a new root that only the old key signed',
    {
      files: published(plan, rootOf({ version: 2, signers: [successor], signedBy: [owner] })),
      ...seen,
    },
    ['root-rotation', 'root'],
    { files: published(plan, rotated), ...seen },
  ),
  attack(
    'a new root by one of two old keys',
    {
      files: published(
        rootOf(bothOwners),
        rootOf({ version: 2, signers: [third], signedBy: [owner, third] }),
      ),
      trust: { anchor: anchorOf(publish(rootOf(bothOwners))) },
    },
    ['root-rotation', 'root'],
    {
      files: published(
        rootOf(bothOwners),
        rootOf({ version: 2, signers: [third], signedBy: [owner, successor, third] }),
      ),
      trust: { anchor: anchorOf(publish(rootOf(bothOwners))) },
    },
  ),
  attack(
    'a root whose predecessor is withheld',
    { files: without(published(plan, rotated, twice), '2.root.json'), ...seen },
    ['missing-file', 'root'],
    { files: published(plan, rotated, twice), ...seen },
  ),
  attack(
    'a root between that the one before did not sign',
    {
      files: published(
        plan,
        rootOf({ version: 2, signers: [successor], signedBy: [successor] }),
        twice,
      ),
      ...seen,
    },
    ['root-rotation', 'root'],
    { files: published(plan, rotated, twice), ...seen },
  ),
  attack(
    'a root between that is another version than it is called',
    {
      files: swapped(
        published(plan, rotated, twice),
        /^2\.root/,
        publish(plan).get('root.json') ?? Buffer.of(),
      ),
      ...seen,
    },
    ['root-rotation', 'root'],
    { files: published(plan, rotated, twice), ...seen },
  ),
  attack(
    'an old root to who has seen the new one',
    {
      files: published(plan, rotated, plan),
      trust: { anchor: anchorOf(publish(rotated)) },
    },
    ['rollback', 'root'],
    { files: published(plan, rotated), trust: { anchor: anchorOf(publish(rotated)) } },
  ),
  attack(
    'more rotations than anybody has to follow',
    { files: published(plan, { ...twice, root: { ...twice.root, version: 1_000_000 } }), ...seen },
    ['root-rotation', 'root'],
    { files: published(plan, rotated, twice), ...seen },
  ),
  attack(
    'a root of more keys than anybody needs, each of which costs whoever reads it',
    { files: publish(rootOf(inMany(33))) },
    ['malformed', 'root'],
    { files: publish(rootOf(inMany(32))) },
  ),
  attack(
    'a root that follows, of as many keys',
    { files: published(plan, rootOf(inMany(33))), ...seen },
    ['malformed', 'root'],
    { files: published(plan, rootOf(inMany(32))), ...seen },
  ),
  attack(
    'a timestamp by a key that was rotated away',
    {
      files: swapped(
        published(plan, newTimestampKey),
        /^timestamp/,
        honest.get('timestamp.json') ?? Buffer.of(),
      ),
      trust: { anchor: anchorOf(publish(newTimestampKey)) },
    },
    ['bad-signature', 'timestamp'],
    {
      files: published(plan, newTimestampKey),
      trust: { anchor: anchorOf(publish(newTimestampKey)) },
    },
  ),
  attack(
    'a version that only a stolen key could have signed, after its key was replaced',
    {
      files: honest,
      trust: {
        anchor: {
          ...anchor,
          seen: { ...anchor.seen, timestamp: { version: 2 ** 40, keyIds: [timestampKey.id] } },
        },
      },
    },
    ['rollback', 'timestamp'],
    {
      files: published(plan, { ...rotated, timestamp: { signers: [elliptic()] } }),
      trust: {
        anchor: {
          ...anchor,
          seen: { ...anchor.seen, timestamp: { version: 2 ** 40, keyIds: [timestampKey.id] } },
        },
      },
    },
  ),
  attack(
    'what was kept, damaged, and a stranger in its place',
    {
      files: publish(rootOf({ signers: [stranger] })),
      trust: { anchor: { ...anchor, root: anchor.root.slice(1) } },
    },
    ['malformed', 'root'],
    { files: honest, ...seen },
  ),
  attack(
    'a root key without a certificate',
    alone(bare(owner.privateKey)),
    ['bad-certificate', 'root'],
    alone(owner),
  ),
  ...certificates.map(({ what, evil, benign }) =>
    attack(
      `a root certificate with ${what}`,
      alone(evil),
      ['bad-certificate', 'root'],
      alone(benign),
    ),
  ),
  ...unreadable.flatMap(({ what, evil, why }) => [
    attack(
      `a root certificate with ${what}`,
      alone(evil),
      ['bad-certificate', 'root'],
      alone(inCertificate(loose.pem, loose.privateKey)),
    ),
    attack(
      `a new root whose certificate has ${what}`,
      followedBy(evil),
      [why, 'root'],
      followedBy(inCertificate(loose.pem, loose.privateKey)),
    ),
  ]),
  attack(
    'two leaves in one certificate, of which either could be meant',
    alone(doubled),
    ['bad-certificate', 'root'],
    alone(chained),
  ),
];
