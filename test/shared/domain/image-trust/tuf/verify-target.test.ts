import { describe, expect, it } from 'vitest';
import { usualLimits } from '#shared/domain/image-trust/tuf/trust.ts';
import { published, swapped } from '#test/support/tuf/attack.ts';
import { certified } from '#test/support/tuf/certified.ts';
import { type Delegated, digestFor, type Plan, publish } from '#test/support/tuf/publish.ts';
import {
  anchorOf,
  delegate,
  goodDigest,
  gun,
  owner,
  plan,
  snapshotKey,
  successor,
  targetsKey,
  thief,
  timestampKey,
  verified,
} from '#test/support/tuf/scene.ts';
import { inCertificate } from '#test/support/tuf/signer.ts';

const releases: Delegated = {
  name: 'targets/releases',
  signers: [delegate],
  paths: [''],
  targets: { '1.0': digestFor('released') },
  expires: '2030-06-01T00:00:00Z',
};
const delegating = (change: Partial<Delegated> = {}): Plan => ({
  ...plan,
  delegations: [{ ...releases, ...change }],
});
const files = publish(plan);
const late = await certified({ commonName: gun, notAfter: new Date('2045-01-01T00:00:00Z') });
const heir = inCertificate(late.pem, late.privateKey);

describe('verifyTarget', () => {
  it('says which digest a tag has, who signed it, and how long that holds', () => {
    const { verdict, repository } = verified({ files });
    expect(verdict).toEqual({
      kind: 'trusted',
      name: '1.0',
      digest: goodDigest,
      length: 423,
      by: { role: 'targets', keyIds: [targetsKey.id] },
      until: new Date('2031-01-01T00:00:00.123Z'),
      renewBy: new Date('2031-01-01T00:00:00.123Z'),
    });
    expect(repository?.root).toEqual({ version: 1, keyIds: [owner.id], basis: 'first-use' });
  });

  it('hears the delegate before the owner, and no longer than his word holds', () => {
    expect(verified({ files: publish(delegating()) }).verdict).toMatchObject({
      digest: digestFor('released'),
      by: { role: 'targets/releases', keyIds: [delegate.id] },
      until: new Date('2030-06-01T00:00:00Z'),
    });
    const lasting = publish(delegating({ expires: '2035-01-01T00:00:00Z' }));
    expect(verified({ files: lasting }).verdict).toMatchObject({
      by: { role: 'targets/releases' },
      until: new Date('2031-01-01T00:00:00.123Z'),
    });
    const roles = ['targets', 'targets/releases'];
    expect(verified({ files: publish(delegating()), trust: { roles } }).verdict).toMatchObject({
      digest: goodDigest,
      until: new Date('2031-01-01T00:00:00.123Z'),
    });
  });

  it.each<[string, Partial<Delegated>, readonly object[]]>([
    ['has nothing published', { isMissing: true }, []],
    ['was deprived of his key', { signedBy: [thief] }, [{ why: 'bad-signature' }]],
    ['let it expire', { expires: '2029-12-31T00:00:00Z' }, [{ why: 'expired' }]],
  ])('hears the owner where the delegate %s', (_, change, skipped) => {
    const { verdict, repository } = verified({ files: publish(delegating(change)) });
    expect(verdict).toMatchObject({ digest: goodDigest, by: { role: 'targets' } });
    expect(repository?.skipped).toMatchObject(skipped);
  });

  it('forgets the version of a delegation that is gone', () => {
    const anchor = anchorOf(publish(delegating({ version: 7 })));
    const { repository } = verified({ files, trust: { anchor } });
    expect(repository?.anchor.seen).not.toHaveProperty('targets/releases');
    const skipped = publish(delegating({ version: 8, expires: '2029-12-31T00:00:00Z' }));
    const kept = verified({ files: skipped, trust: { anchor } }).repository?.anchor.seen;
    expect(kept?.['targets/releases']?.version).toBe(7);
  });

  it('minds no spaces in what is signed, as long as no hash is over them', () => {
    const timestamp = JSON.parse(Buffer.from(files.get('timestamp.json') ?? []).toString());
    const spaced = Buffer.from(JSON.stringify(timestamp, null, 2));
    expect(verified({ files: swapped(files, /^timestamp/, spaced) }).verdict.kind).toBe('trusted');
  });

  const rotated: Plan = {
    ...plan,
    root: { version: 2, signers: [successor], signedBy: [owner, successor] },
    timestamp: { signers: [thief] },
  };

  it('follows a root that was rotated, and remembers it', () => {
    const trust = { anchor: anchorOf(files) };
    const { verdict, repository } = verified({ files: published(plan, rotated), trust });
    expect(verdict.kind).toBe('trusted');
    expect(repository?.root).toEqual({ version: 2, keyIds: [successor.id], basis: 'anchor' });
    expect(repository?.anchor).toEqual(anchorOf(publish(rotated)));
  });

  it('calls what does not hold untrusted, even if the new root is withheld', () => {
    const { verdict } = verified({
      files: published(plan, rotated),
      trust: { anchor: anchorOf(files) },
      instead: ({ role }) => (role === 'root' ? { kind: 'failed', why: 'timeout' } : undefined),
    });
    expect(verdict).toEqual({ kind: 'untrusted', why: 'bad-signature', role: 'timestamp' });
  });

  it('heals a root whose certificate has expired, as soon as there is a new one', () => {
    const far = '2050-01-01T00:00:00Z';
    const lasting: Plan = {
      ...plan,
      root: { signers: [owner], expires: far },
      timestamp: { signers: [timestampKey], expires: far },
      snapshot: { signers: [snapshotKey], expires: far },
      targets: { signers: [targetsKey], expires: far },
    };
    const renewed: Plan = {
      ...lasting,
      root: { version: 2, signers: [heir], signedBy: [owner, heir], expires: far },
    };
    const trust = { anchor: anchorOf(publish(lasting)), now: new Date('2039-07-01T00:00:00Z') };
    const stale = verified({ files: publish(lasting), trust });
    expect(stale.verdict).toMatchObject({ why: 'bad-certificate', role: 'root' });
    const healed = verified({ files: published(lasting, renewed), trust });
    expect(healed.verdict).toMatchObject({
      kind: 'trusted',
      until: new Date('2045-01-01T00:00:00Z'),
    });
  });

  it('does not even ask for what is stated to be larger than anybody should read', () => {
    const asked: string[] = [];
    const { verdict } = verified({
      files,
      trust: { limits: { ...usualLimits, targetsBytes: 100 } },
      instead: ({ role }) => {
        asked.push(role);
        return undefined;
      },
    });
    expect(verdict).toEqual({ kind: 'untrusted', why: 'too-large', role: 'targets' });
    expect(asked).toEqual(['root', 'timestamp', 'snapshot']);
  });

  it.each(['timestamp', 'snapshot', 'targets', 'targets/releases'])(
    'can say nothing without the %s',
    (missing) => {
      const { verdict, repository } = verified({
        files: publish(delegating()),
        instead: ({ role }) =>
          role === missing ? { kind: 'failed', why: 'unreachable' } : undefined,
      });
      expect(verdict).toEqual({ kind: 'unavailable', why: 'unreachable', role: missing });
      expect(repository).toBeUndefined();
    },
  );
});
