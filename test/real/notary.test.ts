import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keptFiles } from '#shared/adapters/notary/kept-files.ts';
import { openNotary } from '#shared/adapters/notary/open-notary.ts';
import type { Anchor, Trust } from '#shared/domain/image-trust/tuf/trust.ts';
import { usualLimits, usualRoles } from '#shared/domain/image-trust/tuf/trust.ts';
import type { Verified } from '#shared/domain/image-trust/tuf/verify-target.ts';
import { certified } from '#test/support/tuf/certified.ts';
import { type Publisher, publisherAt } from './notary/publisher.ts';
import { type RealNotary, startNotary } from './notary/start.ts';

let server: RealNotary;
beforeAll(async () => {
  server = await startNotary();
});
afterAll(() => server.stop());

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** A client of ours that keeps what it has proven, as the verdict store will. */
function clientOf(gun: string, more: Partial<Trust> = {}) {
  const url = new URL(server.url);
  const notary = openNotary({
    server: { url, reach: 'internal', credentials: undefined },
    outside: server.outside,
    files: keptFiles(1 << 20),
  });
  let anchor: Anchor | undefined;
  return async (tag: string): Promise<Verified> => {
    const trust: Trust = {
      ...{ gun, now: new Date(), anchor, pins: [], firstUse: 'allow', roles: usualRoles },
      limits: usualLimits,
      ...more,
    };
    const answer = await notary.verify({ tag, digests: [] }, trust, AbortSignal.timeout(30_000));
    anchor = answer.repository?.anchor ?? anchor;
    return answer;
  };
}

async function signed(gun: string, tag: string): Promise<Publisher> {
  const publisher = publisherAt(server);
  await publisher.notary('init', gun, '-p');
  await addTag(publisher, gun, tag);
  return publisher;
}

async function addTag(by: Publisher, gun: string, tag: string, ...more: readonly string[]) {
  await by.notary('addhash', gun, tag, '423', '--sha256', digestOf(tag), '-p', ...more);
}

describe("a collection that Debian's notary signed", () => {
  it('is trusted for what is signed, and for nothing else', async () => {
    const gun = 'localhost:5000/first/app';
    await signed(gun, '1.0');
    const verify = clientOf(gun);
    expect((await verify('1.0')).verdict).toMatchObject({
      kind: 'trusted',
      digest: `sha256:${digestOf('1.0')}`,
      length: 423,
      by: { role: 'targets' },
    });
    expect((await verify('2.0')).verdict).toMatchObject({ why: 'no-such-target' });
    const inTwoMonths = clientOf(gun, { now: new Date(Date.now() + 86_400_000 * 60) });
    expect((await inTwoMonths('1.0')).verdict).toMatchObject({ why: 'expired', role: 'timestamp' });
    const unknown = await clientOf('localhost:5000/first/unknown')('1.0');
    expect(unknown.verdict).toMatchObject({ kind: 'untrusted', why: 'no-trust-data' });
  });

  it('is followed through the rotation of every key that can be rotated', async () => {
    const gun = 'localhost:5000/rotated/app';
    const publisher = await signed(gun, '1.0');
    const seen = clientOf(gun);
    const rootOf = async () => (await seen('1.0')).repository?.root.version ?? 0;
    expect(await rootOf()).toBe(1);

    const rotations = [
      ['snapshot', '-r'],
      ['timestamp', '-r'],
      ['targets'],
      ['root'],
      ['root'],
      ['snapshot'],
    ] as const;
    for (const [at, rotation] of rotations.entries()) {
      await publisher.notary('key', 'rotate', gun, ...rotation);
      const tag = `after-${at}`;
      await addTag(publisher, gun, tag);
      const kind = 'trusted';
      expect((await seen(tag)).verdict, rotation.join(' ')).toMatchObject({ kind });
      expect((await clientOf(gun)('1.0')).verdict, rotation.join(' ')).toMatchObject({ kind });
    }
    expect(await rootOf()).toBeGreaterThan(rotations.length);
  });

  it('is followed over several roots that were rotated behind our back', async () => {
    const gun = 'localhost:5000/jumped/app';
    const publisher = await signed(gun, '1.0');
    const seen = clientOf(gun);
    const before = await seen('1.0');
    for (const role of ['root', 'root', 'root']) await publisher.notary('key', 'rotate', gun, role);
    const after = await seen('1.0');
    expect(after.verdict).toMatchObject({ kind: 'trusted' });
    expect(after.repository?.root.keyIds).not.toEqual(before.repository?.root.keyIds);
    expect(after.repository?.root.basis).toBe('anchor');
  });

  it('is asked by way of a delegation first, as long as that is delegated', async () => {
    const gun = 'localhost:5000/delegated/app';
    const role = 'targets/releases';
    const publisher = await signed(gun, '1.0');
    const verify = clientOf(gun);
    expect((await verify('1.0')).verdict).toMatchObject({ by: { role: 'targets' } });

    await delegate(publisher, gun, 'alice');
    await addTag(publisher, gun, '2.0', '--roles', role);
    expect((await verify('2.0')).verdict).toMatchObject({ kind: 'trusted', by: { role } });
    expect((await verify('1.0')).verdict).toMatchObject({ by: { role: 'targets' } });
    const onlyTop = clientOf(gun, { roles: ['targets'] });
    expect((await onlyTop('2.0')).verdict).toMatchObject({ why: 'no-such-target' });

    await publisher.notary('delegation', 'remove', gun, role, '-y', '-p');
    expect((await verify('2.0')).verdict).toMatchObject({ why: 'no-such-target' });
    expect((await verify('1.0')).verdict).toMatchObject({ kind: 'trusted' });
  });

  it('hears no delegate whose key was taken away, and hears the next one', async () => {
    const gun = 'localhost:5000/replaced/app';
    const role = 'targets/releases';
    const publisher = await signed(gun, '1.0');
    const verify = clientOf(gun);
    const { keyId } = await delegate(publisher, gun, 'bob', 'rsa');
    await addTag(publisher, gun, '2.0', '--roles', role);
    expect((await verify('2.0')).verdict).toMatchObject({ kind: 'trusted', by: { role } });

    await delegate(publisher, gun, 'carol');
    await publisher.notary('delegation', 'remove', gun, role, keyId, '-y', '-p');
    const orphan = await verify('2.0');
    expect(orphan.verdict).toMatchObject({ kind: 'untrusted', why: 'bad-signature', role });
    expect((await verify('1.0')).verdict).toMatchObject({ kind: 'trusted' });

    await publisher.notary('witness', gun, role, '-p');
    expect((await verify('2.0')).verdict).toMatchObject({ kind: 'trusted', by: { role } });
  });

  it('is no longer trusted for a tag that was removed, nor at all once it was deleted', async () => {
    const gun = 'localhost:5000/removed/app';
    const publisher = await signed(gun, '1.0');
    await addTag(publisher, gun, '2.0');
    const verify = clientOf(gun);
    expect((await verify('1.0')).verdict).toMatchObject({ kind: 'trusted' });

    await publisher.notary('remove', gun, '1.0', '-p');
    expect((await verify('1.0')).verdict).toMatchObject({ why: 'no-such-target' });
    expect((await verify('2.0')).verdict).toMatchObject({ kind: 'trusted' });

    await publisher.notary('delete', gun, '--remote');
    expect((await verify('2.0')).verdict).toMatchObject({ why: 'no-trust-data' });
  });

  it('is not taken for the one that was made under its name after it was deleted', async () => {
    const gun = 'localhost:5000/remade/app';
    const publisher = await signed(gun, '1.0');
    const verify = clientOf(gun);
    expect((await verify('1.0')).verdict).toMatchObject({ kind: 'trusted' });

    await publisher.notary('delete', gun, '--remote');
    await signed(gun, '1.0');
    expect((await verify('1.0')).verdict.kind).toBe('untrusted');
    expect((await clientOf(gun)('1.0')).verdict.kind).toBe('trusted');
  });

  it('is pinned by the id that notary itself shows for its root key', async () => {
    const gun = 'localhost:5000/pinned/app';
    const publisher = await signed(gun, '1.0');
    const keys = await publisher.notary('key', 'list');
    const [, shown = ''] = /^root\s+([0-9a-f]{64})/m.exec(keys) ?? [];
    const pinned = (keyId: string) =>
      clientOf(gun, {
        firstUse: 'refuse',
        pins: [{ prefix: 'localhost:5000/pinned', keyIds: [keyId], certificates: [] }],
      })('1.0');
    expect((await pinned(shown)).verdict).toMatchObject({ kind: 'trusted' });
    expect((await pinned(digestOf('another'))).verdict).toMatchObject({ why: 'root-not-pinned' });
  });

  it.each([
    ['with marks that JSON escapes', 'a"b\\c/d'],
    ['with marks that HTML escapes', '<a>&b'],
    ['beyond ASCII', 'grüße-日本-😀'],
    // Those below U+0020 the client itself cannot sign.
    ['with marks that JavaScript escapes', 'a\u007f\u2028'],
    ['that objects have anyway', 'constructor'],
  ])('has a canonical form for names %s', async (what, tag) => {
    const gun = `localhost:5000/named/${digestOf(what).slice(0, 8)}`;
    const publisher = await signed(gun, 'first');
    await addTag(publisher, gun, tag);
    await addTag(publisher, gun, '～😀');
    await addTag(publisher, gun, '😀～');
    const verify = clientOf(gun);
    expect((await verify(tag)).verdict).toMatchObject({ kind: 'trusted', name: tag });
  });

  it('has a canonical form for whatever its owner adds to a target', async () => {
    const gun = 'localhost:5000/custom/app';
    const publisher = await signed(gun, '1.0');
    // Sorted: the client sends it as it is, and its own server would not accept the signature otherwise.
    const custom = { a: [1, -7, 0, null, true], b: { c: '日本', '～': '', '😀': '"\\' } };
    const path = publisher.write('custom.json', JSON.stringify(custom));
    await addTag(publisher, gun, '2.0', '--custom', path);
    expect((await clientOf(gun)('2.0')).verdict).toMatchObject({ kind: 'trusted' });
  });
});

/** A key pair of the delegate's own; the owner sees no more than the certificate. */
async function delegate(
  owner: Publisher,
  gun: string,
  name: string,
  kind: 'ecdsa' | 'rsa' = 'ecdsa',
): Promise<{ readonly keyId: string }> {
  const soon = new Date(Date.now() + 86_400_000 * 365);
  const { pem, privateKey } = await certified({
    ...{ commonName: name, kind, notBefore: new Date(Date.now() - 3_600_000), notAfter: soon },
  });
  const certificate = owner.write(`${name}.crt`, pem);
  const key = privateKey.export(
    kind === 'rsa' ? { type: 'pkcs1', format: 'pem' } : { type: 'sec1', format: 'pem' },
  );
  const keyFile = owner.write(`${name}.key`, String(key));
  await owner.notary('key', 'import', keyFile, '--role', name, '--gun', gun);
  const role = 'targets/releases';
  await owner.notary('delegation', 'add', gun, role, certificate, '--all-paths', '-p');
  const listed = await owner.notary('delegation', 'list', gun);
  const [keyId = ''] = listed.match(/[0-9a-f]{64}/g)?.slice(-1) ?? [];
  return { keyId };
}

describe('a Notary that is away', () => {
  it('makes what it knew neither trusted nor untrusted', async () => {
    const away = await startNotary();
    await away.stop();
    const notary = openNotary({
      server: { url: new URL(away.url), reach: 'internal', credentials: undefined },
      outside: away.outside,
      files: keptFiles(1 << 20),
    });
    const { verdict } = await notary.verify(
      { tag: '1.0', digests: [] },
      {
        ...{ gun: 'localhost:5000/away/app', now: new Date(), anchor: undefined, pins: [] },
        ...{ firstUse: 'allow', roles: usualRoles, limits: usualLimits },
      },
      AbortSignal.timeout(10_000),
    );
    expect(verdict).toEqual({ kind: 'unavailable', why: 'unreachable', role: 'root' });
  });
});
