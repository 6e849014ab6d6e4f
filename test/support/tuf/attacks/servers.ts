import { type Attack, attack, edited, fileOf, published, swapped } from '../attack.ts';
import { type Plan, publish } from '../publish.ts';
import { anchorOf, evilDigest, plan, thief, trust } from '../scene.ts';

const honest = publish(plan);
const again: Plan = {
  ...plan,
  timestamp: { ...plan.timestamp, version: 2 },
  snapshot: { ...plan.snapshot, version: 2 },
  targets: { ...plan.targets, version: 2 },
  signed: { ...plan.signed, '2.0': evilDigest },
};
const newer = publish(again);
const seenNewer = { anchor: anchorOf(newer) };
const evilPlan: Plan = { ...plan, signed: { '1.0': evilDigest } };
const byThief = { signers: [thief] };
const later = { now: new Date('2030-02-01T00:00:00Z') };
const soon = '2030-01-15T00:00:00Z';
const bytesOf = (files: typeof honest, pattern: RegExp) => fileOf(files, pattern)[1];
const nested = (depth: number) => Buffer.from(`${'['.repeat(depth)}${']'.repeat(depth)}`);
const isAsked =
  (role: string, kind = 'latest') =>
  (ask: { role: string; at: { kind: string } }) =>
    ask.role === role && ask.at.kind === kind;

/** By whoever stands between, or runs the server: they hold no key, or only those that are online. */
export const serverAttacks: readonly Attack[] = [
  attack(
    'arbitrary software, signed by a key that nobody named',
    {
      files: new Map([
        ...publish({ ...evilPlan, timestamp: byThief, snapshot: byThief, targets: byThief }),
        ...[...honest].filter(([name]) => name.endsWith('root.json')),
      ]),
    },
    ['bad-signature', 'timestamp'],
    { files: honest },
  ),
  attack(
    'arbitrary software under the name of the honest file',
    { files: swapped(honest, /^targets\./, bytesOf(publish(evilPlan), /^targets\./)) },
    ['bad-hash', 'targets'],
    { files: publish(evilPlan) },
  ),
  attack(
    'arbitrary software by whoever has the online keys, but not that of the targets',
    {
      files: edited({ ...evilPlan, targets: { ...plan.targets, signedBy: [thief] } }, {}),
    },
    ['bad-signature', 'targets'],
    { files: edited({ ...evilPlan, targets: plan.targets }, {}) },
  ),
  ...(['root', 'timestamp'] as const).map((role) =>
    attack(
      `endless data instead of the ${role}`,
      {
        files: honest,
        instead: (ask) => (isAsked(role)(ask) ? { kind: 'too-large' } : undefined),
      },
      ['too-large', role],
      { files: honest },
    ),
  ),
  ...(['snapshot', 'targets'] as const).map((role) =>
    attack(
      `endless data instead of the ${role}, whose length is known`,
      {
        files: honest,
        instead: (ask) => (isAsked(role, 'digest')(ask) ? { kind: 'too-large' } : undefined),
      },
      ['bad-length', role],
      { files: honest },
    ),
  ),
  attack(
    'a file so large that nobody should read it, though it is signed',
    { files: honest, trust: { limits: { ...trust.limits, targetsBytes: 100 } } },
    ['too-large', 'targets'],
    { files: honest },
  ),
  attack(
    'a freeze at what was true a month ago',
    { files: publish({ ...plan, timestamp: { ...plan.timestamp, expires: soon } }), trust: later },
    ['expired', 'timestamp'],
    {
      files: publish({
        ...plan,
        timestamp: { ...plan.timestamp, expires: '2030-02-15T00:00:00Z', version: 9 },
      }),
      trust: later,
    },
  ),
  attack(
    'mix and match: the old snapshot with the new timestamp',
    { files: swapped(newer, /^snapshot\./, bytesOf(honest, /^snapshot\./)) },
    ['bad-hash', 'snapshot'],
    { files: newer },
  ),
  attack(
    'mix and match: the old targets with the new snapshot',
    { files: swapped(newer, /^targets\./, bytesOf(honest, /^targets\./)) },
    ['bad-length', 'targets'],
    { files: newer },
  ),
  attack(
    'a rollback of everything',
    { files: honest, trust: seenNewer },
    ['rollback', 'timestamp'],
    { files: honest, trust: { anchor: anchorOf(honest) } },
  ),
  attack(
    'a rollback of the snapshot under a new timestamp',
    {
      files: publish({ ...plan, timestamp: { ...plan.timestamp, version: 3 } }),
      trust: seenNewer,
    },
    ['rollback', 'snapshot'],
    {
      files: publish({ ...again, timestamp: { ...plan.timestamp, version: 3 } }),
      trust: seenNewer,
    },
  ),
  attack(
    'a rollback of the targets under a new snapshot',
    { files: publish({ ...again, targets: plan.targets }), trust: seenNewer },
    ['rollback', 'targets'],
    { files: newer, trust: seenNewer },
  ),
  attack(
    'a target that is withheld',
    { files: new Map([...honest].filter(([name]) => !name.startsWith('targets'))) },
    ['missing-file', 'targets'],
    { files: honest },
  ),
  attack(
    'a timestamp that is withheld from who has seen one',
    {
      files: new Map([...honest].filter(([name]) => name !== 'timestamp.json')),
      trust: { anchor: anchorOf(honest) },
    },
    ['no-trust-data', 'timestamp'],
    { files: honest, trust: { anchor: anchorOf(honest) } },
  ),
  ...[
    ['deep JSON', nested(20_000), 'too-large'],
    ['JSON that only opens', Buffer.from('{"a":'.repeat(9_000)), 'too-large'],
    ['huge JSON', Buffer.from(`[${'0,'.repeat(40_000)}0]`), 'too-large'],
    ['no JSON', Buffer.from('<html>'), 'malformed'],
    ['bytes that are no text', Buffer.from([0x22, 0xff, 0x22]), 'malformed'],
    ['nothing', Buffer.from(''), 'malformed'],
    ['a list', Buffer.from('[]'), 'malformed'],
    ['an empty object', Buffer.from('{}'), 'malformed'],
  ].map(([what, bytes, why]) =>
    attack(
      `${what} instead of a timestamp`,
      { files: swapped(honest, /^timestamp/, bytes as Uint8Array) },
      [why as 'malformed', 'timestamp'],
      { files: published(plan) },
    ),
  ),
];
