import { type Attack, attack, edited, fileOf, swapped } from '../attack.ts';
import { type Delegated, digestFor, type Plan, publish } from '../publish.ts';
import {
  anchorOf,
  delegate,
  evilDigest,
  goodDigest,
  knownAfter,
  plan,
  targetsKey,
  thief,
} from '../scene.ts';

const releases: Delegated = {
  name: 'targets/releases',
  signers: [delegate],
  paths: [''],
  targets: { '2.0': evilDigest },
};
const child = (paths: readonly string[], targets: Delegated['targets']): Delegated => ({
  ...{ name: 'targets/releases/nightly', signers: [thief], paths, targets },
});
const withRole = (change: Partial<Delegated>, more: Partial<Plan> = {}): Plan => ({
  ...plan,
  delegations: [{ ...releases, ...change }],
  ...more,
});
const delegating = (change: Partial<Delegated>) => publish(withRole(change));
const tag2 = { wanted: { tag: '2.0' } };
const nightly = { roles: ['targets/releases/nightly', 'targets/releases', 'targets'] };
const digestOnly = (digest: string) => ({ wanted: { tag: undefined, digests: [digest] } });
const renamed = (name: string) =>
  edited(withRole({}), {
    targets: (content) => {
      const { keys, roles } = content['delegations'] as { keys: object; roles: object[] };
      return {
        ...content,
        delegations: { keys, roles: [...roles, { ...roles[0], name }] },
      } as never;
    },
  });
const advanced = publish(withRole({ version: 2 }));
/** What the owner has signed as `1.0` once, a delegate has signed anew. */
const overriding = { targets: { '1.0': digestFor('newer') } };
const overridden = anchorOf(delegating(overriding));

/** The delegate was heard, and then let his own file expire. */
const below = (change: Partial<Delegated>, own: Partial<Delegated> = {}) =>
  delegating({ delegations: [{ ...child([''], overriding.targets), ...change }], ...own });
const skippedOnce = knownAfter(
  [below({}), below({}, { expires: '2029-12-31T00:00:00Z' })],
  nightly,
);

/** By who was given a part, and takes more. */
export const delegateAttacks: readonly Attack[] = [
  attack(
    'a delegate who names what he was not given',
    { files: delegating({ paths: ['dev-'] }), ...tag2 },
    ['no-such-target', 'targets'],
    { files: delegating({ paths: ['dev-', '2.'] }), ...tag2 },
  ),
  attack(
    'a delegate who was given nothing',
    { files: delegating({ paths: [] }), ...tag2 },
    ['no-such-target', 'targets'],
    { files: delegating({}), ...tag2 },
  ),
  attack(
    "a delegate's delegate who was given more than there was to give",
    {
      files: delegating({ paths: ['1.'], delegations: [child([''], { '2.0': evilDigest })] }),
      trust: nightly,
      ...tag2,
    },
    ['no-such-target', 'targets'],
    {
      files: delegating({ delegations: [child([''], { '2.0': evilDigest })] }),
      trust: nightly,
      ...tag2,
    },
  ),
  attack(
    'a delegation that nobody accepts',
    { files: delegating({ name: 'targets/other' }), ...tag2 },
    ['no-such-target', 'targets'],
    {
      files: delegating({ name: 'targets/other' }),
      trust: { roles: ['targets/other', 'targets'] },
      ...tag2,
    },
  ),
  attack(
    'a delegation by who was not asked for his own delegations',
    {
      files: delegating({ delegations: [child([''], { '3.0': evilDigest })] }),
      wanted: { tag: '3.0' },
    },
    ['no-such-target', 'targets'],
    {
      files: delegating({ delegations: [child([''], { '3.0': evilDigest })] }),
      trust: nightly,
      wanted: { tag: '3.0' },
    },
  ),
  attack(
    'a delegate who signs the targets themselves',
    { files: edited({ ...withRole({}), targets: { ...plan.targets, signedBy: [delegate] } }, {}) },
    ['bad-signature', 'targets'],
    {
      files: edited({ ...withRole({}), targets: { ...plan.targets, signedBy: [targetsKey] } }, {}),
    },
  ),
  attack(
    'a delegation that is signed by a thief',
    { files: delegating({ signedBy: [thief] }), ...tag2 },
    ['bad-signature', 'targets/releases'],
    { files: delegating({ signedBy: [thief, delegate] }), ...tag2 },
  ),
  attack(
    'a delegation that has expired',
    { files: delegating({ expires: '2029-12-31T00:00:00Z' }), ...tag2 },
    ['expired', 'targets/releases'],
    { files: delegating({ expires: '2030-01-02T00:00:00Z' }), ...tag2 },
  ),
  attack(
    'a delegation with other bytes than the snapshot states',
    {
      files: swapped(delegating({}), /^targets.releases/, fileOf(advanced, /^targets.releases/)[1]),
      ...tag2,
    },
    ['bad-hash', 'targets/releases'],
    { files: advanced, ...tag2 },
  ),
  attack(
    'a delegation that is rolled back',
    { files: delegating({}), trust: { anchor: anchorOf(advanced) }, ...tag2 },
    ['rollback', 'targets/releases'],
    { files: delegating({ signers: [thief] }), trust: { anchor: anchorOf(advanced) }, ...tag2 },
  ),
  attack(
    'a delegation that was seen, and that the snapshot lists no more, so that the owner says what he said before',
    { files: delegating({ ...overriding, isMissing: true }), trust: { anchor: overridden } },
    ['rollback', 'targets/releases'],
    {
      files: delegating({ ...overriding, isMissing: true, signers: [thief] }),
      trust: { anchor: overridden },
    },
  ),
  attack(
    'a delegation that was seen, and in whose place the snapshot lists what nobody signed',
    { files: delegating({ ...overriding, signedBy: [thief] }), trust: { anchor: overridden } },
    ['bad-signature', 'targets/releases'],
    {
      files: delegating({ ...overriding, signers: [thief], signedBy: [delegate] }),
      trust: { anchor: overridden },
    },
  ),
  attack(
    'a delegation that was seen, and that the snapshot lists no more after its parent was skipped for a while',
    { files: below({ isMissing: true }), trust: { ...nightly, anchor: skippedOnce } },
    ['rollback', 'targets/releases/nightly'],
    {
      files: below({ isMissing: true, signers: [targetsKey] }),
      trust: { ...nightly, anchor: skippedOnce },
    },
  ),
  ...[
    'targets/../root',
    'targets//x',
    'targets/',
    'targets/x/y',
    'root',
    'TARGETS/X',
    'targets/a.b',
    'targets/releases',
  ].map((name) =>
    attack(
      `a delegation that is called ${name}`,
      { files: renamed(name) },
      ['malformed', 'targets'],
      { files: renamed('targets/other') },
    ),
  ),
  attack(
    'a digest that the owner signed for a tag of which a delegate says otherwise',
    {
      files: publish(withRole({ targets: { '1.0': digestFor('newer') } })),
      ...digestOnly(goodDigest),
    },
    ['no-such-target', 'targets'],
    { files: publish(withRole({})), ...digestOnly(goodDigest) },
  ),
  attack(
    'a digest that a delegate signed under a name he was not given',
    { files: delegating({ paths: ['dev-'] }), ...digestOnly(evilDigest) },
    ['no-such-target', 'targets'],
    { files: delegating({}), ...digestOnly(evilDigest) },
  ),
];
