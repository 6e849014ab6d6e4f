import { describe, expect, it } from 'vitest';
import { nodeCryptography } from '#shared/adapters/notary/cryptography.ts';
import type { Ask } from '#shared/domain/image-trust/tuf/asking.ts';
import { bareKeyId } from '#shared/domain/image-trust/tuf/key.ts';
import type { FirstUse, Pin } from '#shared/domain/image-trust/tuf/trust.ts';
import { certified } from '#test/support/tuf/certified.ts';
import { publish, type Role } from '#test/support/tuf/publish.ts';
import {
  anchorOf,
  gun,
  owner,
  plan,
  rootSigner,
  stranger,
  successor,
  verified,
} from '#test/support/tuf/scene.ts';
import { inCertificate, type Signer } from '#test/support/tuf/signer.ts';

const files = publish(plan);
const strangers = publish({ ...plan, root: { signers: [stranger] } });
const pin = (change: Partial<Pin>): Pin => ({
  prefix: '',
  keyIds: [],
  certificates: [],
  ...change,
});
const pemOf = ({ key }: Signer) => Buffer.from(key.public, 'base64').toString();
const facts = nodeCryptography.readKey(owner.key);
const shownId = facts === undefined ? '' : bareKeyId(facts, nodeCryptography);

const ca = await certified({ commonName: 'authority', isAuthority: true });
const middle = await certified({ commonName: 'middle', isAuthority: true, issuer: ca.issuer });
const leaf = await certified({ commonName: gun, issuer: middle.issuer });
const otherCa = await certified({ commonName: 'authority', isAuthority: true });
const chained = inCertificate(leaf.pem + middle.pem, leaf.privateKey);
const unchained = inCertificate(leaf.pem, leaf.privateKey);
const over = { isAuthority: true, notAfter: new Date('2029-12-31T00:00:00Z') };
const oldMiddle = await certified({ commonName: 'middle', issuer: ca.issuer, ...over });
const byOldMiddle = await certified({ commonName: gun, issuer: oldMiddle.issuer });
const oldCa = await certified({ commonName: 'authority', ...over });
const byOldCa = await certified({ commonName: gun, issuer: oldCa.issuer });
const soon = { isAuthority: true, notBefore: new Date('2030-01-02T00:00:01Z') };
const newCa = await certified({ commonName: 'authority', ...soon });
const byNewCa = await certified({ commonName: gun, issuer: newCa.issuer });
const today = { isAuthority: true, notBefore: new Date('2030-01-01T12:00:00Z') };
const freshCa = await certified({ commonName: 'authority', ...today });
const byFreshCa = await certified({ commonName: gun, issuer: freshCa.issuer });
const endingOn = (day: string) => ({ isAuthority: true, notAfter: new Date(`${day}T00:00:00Z`) });
const endingMiddle = await certified({
  ...{ commonName: 'middle', issuer: ca.issuer },
  ...endingOn('2030-02-01'),
});
const byItself = await certified({ commonName: gun, issuer: endingMiddle.issuer });
const byEndingMiddle = inCertificate(byItself.pem + endingMiddle.pem, byItself.privateKey);
const endingCa = await certified({ commonName: 'authority', ...endingOn('2030-03-01') });
const byIt = await certified({
  ...{ commonName: gun, issuer: endingCa.issuer },
  notAfter: new Date('2030-06-01T00:00:00Z'),
});
const byEnding = inCertificate(byIt.pem, byIt.privateKey);
const signedBy = (signer: Signer) => publish({ ...plan, root: { signers: [signer] } });

describe('a pin', () => {
  it.each<[string, ReadonlyMap<string, Uint8Array>, readonly Pin[], string]>([
    ['the id in root.json', files, [pin({ keyIds: [owner.id] })], 'trusted'],
    ['the id that notary shows', files, [pin({ keyIds: [shownId] })], 'trusted'],
    ['the certificate itself', files, [pin({ certificates: [pemOf(owner)] })], 'trusted'],
    ["another's id", files, [pin({ keyIds: [stranger.id] })], 'untrusted'],
    ["another's certificate", files, [pin({ certificates: [pemOf(stranger)] })], 'untrusted'],
    ['nothing at all', files, [pin({})], 'untrusted'],
    ['no certificate', files, [pin({ certificates: ['-----BEGIN'] })], 'untrusted'],
    [
      'an authority, by way of another',
      signedBy(chained),
      [pin({ certificates: [ca.pem] })],
      'trusted',
    ],
    [
      'an authority that is not led to',
      signedBy(unchained),
      [pin({ certificates: [ca.pem] })],
      'untrusted',
    ],
    [
      'an authority, by way of another that has ended',
      signedBy(inCertificate(byOldMiddle.pem + oldMiddle.pem, byOldMiddle.privateKey)),
      [pin({ certificates: [ca.pem] })],
      'untrusted',
    ],
    [
      'an authority that has ended',
      signedBy(inCertificate(byOldCa.pem, byOldCa.privateKey)),
      [pin({ certificates: [oldCa.pem] })],
      'untrusted',
    ],
    [
      'an authority that is to begin',
      signedBy(inCertificate(byNewCa.pem, byNewCa.privateKey)),
      [pin({ certificates: [newCa.pem] })],
      'untrusted',
    ],
    [
      'an authority that begins today, by another clock',
      signedBy(inCertificate(byFreshCa.pem, byFreshCa.privateKey)),
      [pin({ certificates: [freshCa.pem] })],
      'trusted',
    ],
    [
      'an authority of the same name',
      signedBy(chained),
      [pin({ certificates: [otherCa.pem] })],
      'untrusted',
    ],
    [
      'its own name, before those that are shorter',
      files,
      [pin({ keyIds: [stranger.id] }), pin({ prefix: gun, keyIds: [owner.id] })],
      'trusted',
    ],
    [
      'a folder of names',
      files,
      [pin({ prefix: 'registry.example/team', keyIds: [owner.id] }), pin({})],
      'trusted',
    ],
    [
      'a name that only begins alike, and so not at all',
      files,
      [pin({ prefix: 'registry.example/te', keyIds: [owner.id] })],
      'untrusted',
    ],
  ])('that states %s', (_, served, pins, kind) => {
    const { verdict } = verified({ files: served, trust: { pins, firstUse: 'refuse' } });
    expect(verdict.kind).toBe(kind);
  });

  it('outranks a root that was trusted before', () => {
    const trust = { anchor: anchorOf(strangers), pins: [pin({ keyIds: [owner.id] })] };
    expect(verified({ files: strangers, trust }).verdict).toMatchObject({ why: 'root-not-pinned' });
    const healed = verified({ files, trust });
    expect(healed.verdict.kind).toBe('trusted');
    expect(healed.repository?.root.basis).toBe('pin');
  });

  describe('that has followed a rotation which was not seen', () => {
    const at = (version: number, root: Role) =>
      publish({ ...plan, root, targets: { ...plan.targets, version } });
    const seen = anchorOf(at(9, { signers: [owner] }));
    const trust = { anchor: seen, pins: [pin({ keyIds: [successor.id] })] };
    const rotated = { version: 2, signers: [successor], signedBy: [owner, successor] };

    it('leaves what was seen as it was', () => {
      expect(verified({ files: at(3, rotated), trust }).verdict).toMatchObject({
        ...{ why: 'rollback', role: 'targets', last: 9 },
      });
      expect(verified({ files: at(9, rotated), trust }).verdict.kind).toBe('trusted');
    });

    it('waits for what lies between where that cannot be read', () => {
      const files = at(3, { ...rotated, version: 3 });
      const instead = ({ at: { kind } }: Ask) =>
        kind === 'version' ? ({ kind: 'failed', why: 'unreachable' } as const) : undefined;
      expect(verified({ files, trust, instead }).verdict).toMatchObject({ kind: 'unavailable' });
      expect(verified({ files, trust }).verdict.kind).toBe('trusted');
    });

    it.each([
      ['did not sign its successor', { ...rotated, signedBy: [successor] }],
      ['is ahead of it', { signers: [successor] }],
    ])('is bound by nothing where the root that was kept %s', (_, root) => {
      const { verdict, repository } = verified({ files: at(3, root), trust });
      expect(verdict.kind).toBe('trusted');
      expect(repository?.root.basis).toBe('pin');
    });
  });

  it('that has ended beside another key is no reason to begin anew', async () => {
    const notAfter = new Date('2029-12-31T00:00:00Z');
    const { pem, privateKey } = await certified({ commonName: gun, notAfter });
    const ended = inCertificate(pem, privateKey);
    const two = publish({ ...plan, root: { signers: [ended, stranger] } });
    const trust = { pins: [pin({ keyIds: [ended.id, owner.id] })] };
    const anchor = { root: Buffer.from(two.get('root.json') ?? []).toString(), seen: {} };
    expect(verified({ files, trust: { ...trust, anchor } }).verdict).toMatchObject({
      why: 'root-rotation',
    });
    expect(verified({ files, trust }).verdict.kind).toBe('trusted');
  });

  it.each<[string, Partial<Pin>, string]>([
    ['an authority that ends before all else', { certificates: [endingCa.pem] }, '2030-03-01'],
    ['one on the way that does', { certificates: [ca.pem] }, '2030-02-01'],
    ['several, of which one lasts', { certificates: [endingCa.pem, byIt.pem] }, '2030-06-01'],
    ['the key itself, whoever has issued it', { keyIds: [byEnding.id] }, '2030-06-01'],
  ])('that states %s holds as long', (_, stated, until) => {
    const signer = stated.certificates?.includes(ca.pem) ? byEndingMiddle : byEnding;
    const { verdict } = verified({ files: signedBy(signer), trust: { pins: [pin(stated)] } });
    const end = new Date(`${until}T00:00:00Z`);
    expect(verdict).toMatchObject({ kind: 'trusted', until: end, renewBy: end });
  });

  it('counts none but what it names towards the threshold', async () => {
    const second = await rootSigner(gun);
    const two = publish({ ...plan, root: { signers: [owner, second], threshold: 2 } });
    const withPin = (...keyIds: string[]) =>
      verified({ files: two, trust: { pins: [pin({ keyIds })] } }).verdict;
    expect(withPin(owner.id)).toMatchObject({ why: 'bad-signature', role: 'root' });
    expect(withPin(owner.id, second.id)).toMatchObject({ kind: 'trusted' });
  });
});

describe('the first use', () => {
  it.each<[FirstUse, object]>([
    ['allow', { kind: 'trusted' }],
    ['refuse', { kind: 'untrusted', why: 'root-unknown' }],
    ['defer', { kind: 'unavailable', why: 'root-not-kept' }],
  ])('of a root nobody has seen: %s', (firstUse, expected) => {
    expect(verified({ files, trust: { firstUse } }).verdict).toMatchObject(expected);
    const anchor = anchorOf(files);
    expect(verified({ files, trust: { firstUse, anchor } }).verdict.kind).toBe('trusted');
  });

  it('teaches nothing where the collection does not hold together', () => {
    const broken = new Map([...files].filter(([name]) => !name.startsWith('targets')));
    expect(verified({ files: broken }).repository).toBeUndefined();
    expect(verified({ files, wanted: { tag: 'other' } }).repository?.anchor.seen).toEqual({
      timestamp: { version: 1, keyIds: [expect.any(String)] },
      snapshot: { version: 1, keyIds: [expect.any(String)] },
      targets: { version: 1, keyIds: [expect.any(String)] },
    });
  });
});

describe('a question', () => {
  it.each([
    ['registry.example/../../etc/x', ['targets']],
    ['registry.example/a/../b', ['targets']],
    ['registry.example/%2e%2e/b', ['targets']],
    ['registry.example/a?x', ['targets']],
    ['registry.example', ['targets']],
    ['', ['targets']],
    [`registry.example/${'a'.repeat(512)}`, ['targets']],
    [gun, ['targets/../root']],
    [gun, ['snapshot']],
  ])('about %s by %s is not asked', (name, roles) => {
    const asked: string[] = [];
    const { verdict } = verified({
      files,
      trust: { gun: name, roles },
      instead: ({ role }) => {
        asked.push(role);
        return undefined;
      },
    });
    expect(verdict).toMatchObject({ kind: 'untrusted', why: 'bad-name' });
    expect(asked).toEqual([]);
  });
});
