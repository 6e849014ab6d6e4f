import { type Attack, attack, type Edit, edited } from '../attack.ts';
import { certified } from '../certified.ts';
import { publish, type Role } from '../publish.ts';
import { goodDigest, owner, plan, targetsKey, thief } from '../scene.ts';
import { bare, elliptic, inCertificate, rsa } from '../signer.ts';

const second = elliptic();
const weak = await certified({ commonName: 'weak', kind: 'sha1-rsa' });
const both = { ...plan.targets, signers: [targetsKey, second], threshold: 2 };
const honest = publish(plan);
const past = '2029-12-31T23:59:59Z';
const ownerBare = bare(owner.privateKey);
type Part = 'root' | 'timestamp' | 'snapshot' | 'targets';

const signedBy = (role: Role) => ({ files: publish({ ...plan, targets: role }) });
const changed = (role: Part, edit: Edit) => ({ files: edited(plan, { [role]: edit }) });
const same: Edit = (content) => content;

/** The one target with other facts. */
const targetOf =
  (facts: object): Edit =>
  (content) =>
    ({ ...content, targets: { '1.0': { length: 423, ...facts } } }) as never;

const metaOf =
  (role: string, facts: (stated: { hashes: object; length: number }) => object): Edit =>
  (content) => {
    const meta = content['meta'] as Record<string, { hashes: object; length: number }>;
    return { ...content, meta: { ...meta, [role]: facts(meta[role] as never) } } as never;
  };

const rolesOf =
  (role: Part, facts: (stated: { keyids: string[] }) => object): Edit =>
  (content) => {
    const roles = content['roles'] as Record<string, { keyids: string[] }>;
    const stated = roles[role] as never;
    return {
      ...content,
      roles: { ...roles, [role]: { ...roles[role], ...facts(stated) } },
    } as never;
  };

const sha256 = Buffer.from(goodDigest.slice(7), 'hex').toString('base64');

const named = (name: string) => ({
  files: publish({ ...plan, signed: { [name]: goodDigest } }),
  wanted: { tag: undefined, digests: [goodDigest] },
});

/** In what is signed: too few signatures, statements that contradict each other, and what has no meaning. */
export const ownerAttacks: readonly Attack[] = [
  ...['\0', '\u001b[2J', '\u202e', '\n'].map((sign, at) =>
    attack(
      `a target whose name nobody could read (${at + 1})`,
      named(`1.0${sign}`),
      ['no-such-target', 'targets'],
      named('1.0-é'),
    ),
  ),
  attack(
    'one signature of the two that it takes',
    signedBy({ ...both, signedBy: [targetsKey] }),
    ['bad-signature', 'targets'],
    signedBy(both),
  ),
  attack(
    'one signature, twice',
    signedBy({ ...both, signedBy: [targetsKey, targetsKey] }),
    ['bad-signature', 'targets'],
    signedBy({ ...both, signedBy: [targetsKey, second, second] }),
  ),
  attack(
    'a threshold of two with one key that is listed twice',
    signedBy({ ...plan.targets, signers: [targetsKey, targetsKey], threshold: 2 }),
    ['bad-signature', 'targets'],
    signedBy({ ...plan.targets, signers: [targetsKey, targetsKey], threshold: 1 }),
  ),
  attack(
    'one key as itself and in a certificate',
    signedBy({ ...plan.targets, signers: [owner, ownerBare], threshold: 2 }),
    ['bad-signature', 'targets'],
    signedBy({ ...plan.targets, signers: [owner, targetsKey], threshold: 2 }),
  ),
  attack(
    'no signature',
    signedBy({ ...plan.targets, signedBy: [] }),
    ['bad-signature', 'targets'],
    signedBy(plan.targets),
  ),
  attack(
    'a signature by a stranger beside too few',
    signedBy({ ...both, signedBy: [targetsKey, thief] }),
    ['bad-signature', 'targets'],
    signedBy({ ...both, signedBy: [targetsKey, second, thief] }),
  ),
  attack(
    "a stranger's key under the name of the owner's",
    signedBy({
      signers: [{ ...thief, id: targetsKey.id }],
      signedBy: [
        {
          ...thief,
          id: targetsKey.id,
          sign: (message) => ({ ...thief.sign(message), keyid: targetsKey.id }),
        },
      ],
    }),
    ['bad-signature', 'targets'],
    signedBy({ signers: [thief] }),
  ),
  attack(
    'a signature by an RSA key of 1024 bits',
    signedBy({ signers: [rsa(1024)] }),
    ['bad-signature', 'targets'],
    signedBy({ signers: [rsa(2048)] }),
  ),
  attack(
    'a signature by a key in a certificate that is signed by way of SHA-1',
    signedBy({ signers: [inCertificate(weak.pem, weak.privateKey)] }),
    ['bad-signature', 'targets'],
    signedBy({ signers: [bare(weak.privateKey)] }),
  ),
  ...(['timestamp', 'snapshot', 'targets', 'root'] as const).map((role) =>
    attack(
      `a ${role} that has expired`,
      { files: publish({ ...plan, [role]: { ...plan[role], expires: past } }) },
      ['expired', role],
      { files: publish({ ...plan, [role]: { ...plan[role], expires: '2030-01-01T00:00:01Z' } }) },
    ),
  ),
  ...(
    [
      ['a version of zero', { version: 0 }],
      ['a version that is no whole number', { version: 2 ** 53 }],
      ['a version in quotes', { version: '1' }],
      ['no version', { version: null }],
      ['an end that is no time', { expires: 'never' }],
      ['an end without a zone', { expires: '2031-01-01T00:00:00' }],
      ['no end', { expires: null }],
      ["another's type", { _type: 'Snapshot' }],
      ['the type of a later TUF', { _type: 'targets' }],
      ['targets that are a list', { targets: [] }],
    ] as const
  ).map(([what, change]) =>
    attack(
      `targets with ${what}`,
      changed('targets', (content) => ({ ...content, ...change })),
      ['malformed', 'targets'],
      changed('targets', same),
    ),
  ),
  attack(
    'a snapshot in place of the timestamp, by one key for both',
    {
      files: edited(
        { ...plan, timestamp: plan.snapshot },
        { timestamp: (content) => ({ ...content, _type: 'Snapshot' }) },
      ),
    },
    ['malformed', 'timestamp'],
    { files: publish({ ...plan, timestamp: plan.snapshot }) },
  ),
  attack(
    'a target without sha256',
    changed('targets', targetOf({ hashes: { sha512: 'A'.repeat(86) } })),
    ['malformed', 'targets'],
    changed('targets', targetOf({ hashes: { sha256, sha512: 'A'.repeat(86), md5: '' } })),
  ),
  attack(
    'a target with half a sha256',
    changed('targets', targetOf({ hashes: { sha256: sha256.slice(0, 20) } })),
    ['malformed', 'targets'],
    changed('targets', targetOf({ hashes: { sha256 } })),
  ),
  attack(
    'a target of negative length',
    changed('targets', targetOf({ length: -1, hashes: { sha256 } })),
    ['malformed', 'targets'],
    changed('targets', targetOf({ length: 0, hashes: { sha256 } })),
  ),
  attack(
    'a snapshot that states another length of the targets',
    changed(
      'snapshot',
      metaOf('targets', (stated) => ({ ...stated, length: stated.length + 1 })),
    ),
    ['bad-length', 'targets'],
    changed(
      'snapshot',
      metaOf('targets', (stated) => stated),
    ),
  ),
  attack(
    'a snapshot whose sha512 of the targets does not hold',
    changed(
      'snapshot',
      metaOf('targets', (stated) => ({
        ...stated,
        hashes: { ...stated.hashes, sha512: Buffer.alloc(64).toString('base64') },
      })),
    ),
    ['bad-hash', 'targets'],
    changed(
      'snapshot',
      metaOf('targets', (stated) => ({ ...stated, hashes: { ...stated.hashes, crc32: 'AAAA' } })),
    ),
  ),
  attack(
    'a snapshot that does not name the targets',
    changed('snapshot', (content) => ({
      ...content,
      meta: { root: (content['meta'] as { root: string }).root },
    })),
    ['malformed', 'targets'],
    { files: honest },
  ),
  attack(
    'a snapshot that names another root',
    changed(
      'snapshot',
      metaOf('root', (stated) => ({ ...stated, length: stated.length + 1 })),
    ),
    ['root-mismatch', 'root'],
    { files: honest },
  ),
  attack(
    'a timestamp whose hash of the snapshot climbs out of its folder',
    changed(
      'timestamp',
      metaOf('snapshot', (stated) => ({ ...stated, hashes: { sha256: '../../../x' } })),
    ),
    ['malformed', 'snapshot'],
    { files: honest },
  ),
  attack(
    'a root with a threshold of zero',
    changed(
      'root',
      rolesOf('timestamp', () => ({ threshold: 0 })),
    ),
    ['malformed', 'root'],
    changed(
      'root',
      rolesOf('timestamp', () => ({ threshold: 1 })),
    ),
  ),
  attack(
    'a root that names a key it does not have',
    changed(
      'root',
      rolesOf('targets', ({ keyids }) => ({ keyids: [...keyids, 'constructor'] })),
    ),
    ['malformed', 'root'],
    changed(
      'root',
      rolesOf('targets', ({ keyids }) => ({ keyids: [...keyids, ...keyids] })),
    ),
  ),
  attack(
    'a root without a role for snapshots',
    changed('root', (content) => ({
      ...content,
      roles: { ...(content['roles'] as object), snapshot: null },
    })),
    ['malformed', 'root'],
    { files: honest },
  ),
  attack(
    'a tag that every object has',
    { files: honest, wanted: { tag: 'constructor' } },
    ['no-such-target', 'targets'],
    {
      files: publish({ ...plan, signed: { constructor: goodDigest } }),
      wanted: { tag: 'constructor' },
    },
  ),
  attack(
    'a tag with the digest of another tag',
    {
      files: publish({
        ...plan,
        signed: { '1.0': goodDigest, '2.0': goodDigest.replace(/.$/, '0') },
      }),
      wanted: { tag: '2.0', digests: [goodDigest] },
    },
    ['other-digest', 'targets'],
    { files: honest, wanted: { tag: '1.0', digests: [goodDigest] } },
  ),
  attack(
    'a digest that no tag has',
    { files: honest, wanted: { tag: undefined, digests: [`sha256:${'0'.repeat(64)}`] } },
    ['no-such-target', 'targets'],
    { files: honest, wanted: { tag: undefined, digests: [goodDigest] } },
  ),
];
