import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCosign } from '#shared/adapters/cosign/open-cosign.ts';
import { openOutside } from '#shared/adapters/http/open-outside.ts';
import type { Authority } from '#shared/domain/image-trust/cosign/settings.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import type { Outside } from '#shared/domain/outside.ts';
import { fallbackTag } from '#shared/domain/registry/digest.ts';
import {
  bundleContent,
  bundleManifest,
  bundleType,
  keyBundle,
  referrersIndex,
} from '#test/support/cosign/bundle.ts';
import { openSigstore } from '#test/support/cosign/local-sigstore.ts';
import { authorityOf } from '#test/support/cosign/signed-registry.ts';
import { keySigner, statementOf } from '#test/support/cosign/signing.ts';
import { loopback } from '#test/support/registry/outside-world.ts';
import { pushBlob, pushImage, pushManifest } from '#test/support/registry/push.ts';
import { type Content, contentOf, makeImage } from '#test/support/registry/pushed-image.ts';
import { as, registryOver } from '#test/support/registry/registry-world.ts';
import { type ReferrersRegistry, startReferrersRegistry } from './referrers/start.ts';

const owner = keySigner();
const team = authorityOf({ keys: [owner.pem] });
const robot = { subject: 'https://ci.test/release', issuer: 'https://issuer.test' };
const empty = contentOf('application/vnd.oci.empty.v1+json', {});

let registry: ReferrersRegistry;
let outside: Outside;
beforeAll(async () => {
  registry = await startReferrersRegistry();
  const { host, ca } = registry;
  outside = openOutside({
    hosts: [{ host, ca, addresses: [...loopback, '::1'] }],
    userAgent: 'gatehouse-test',
    deadlineMs: 20_000,
    connectionsPerHost: 4,
  });
});
afterAll(async () => {
  outside?.close();
  await registry?.stop();
});

async function pushed(repository: string): Promise<Content> {
  const target = { ...registry, repository };
  const image = makeImage(repository);
  await pushImage(target, image, '1.0');
  await pushBlob(target, empty);
  return image.manifest;
}

/** As a client does where there is the API: its subject alone says what it is about. */
async function pushBundle(repository: string, image: Content, bundle: JsonObject) {
  const target = { ...registry, repository };
  const blob = bundleContent(Buffer.from(JSON.stringify(bundle)));
  const content = bundleManifest(blob, image);
  await pushBlob(target, blob);
  await pushManifest(target, content, content.digest);
  return content;
}

function referrersOf(repository: string, { digest }: Content, artifactType?: string) {
  const query = { registry: registry.host, repository, digest };
  const wanted = artifactType === undefined ? query : { ...query, artifactType };
  return registryOver(outside).referrers(wanted, as());
}

function verified(repository: string, authority: Authority, root = {}) {
  const cosign = openCosign({
    registry: registryOver(outside, { deadlineMs: 20_000 }),
    readText: async () => JSON.stringify(root),
  });
  return cosign.verify({
    image: { registry: registry.host, repository, tag: '1.0', digest: undefined },
    authorities: [authority],
    access: as(),
    signal: new AbortController().signal,
    now: new Date(),
  });
}

describe('a registry with the referrers API', () => {
  it('is asked by it, and says that there is nothing', async () => {
    const image = await pushed('team/unsigned');
    expect(await referrersOf('team/unsigned', image)).toEqual({
      kind: 'found',
      by: 'api',
      descriptors: [],
    });
    expect(await verified('team/unsigned', team)).toMatchObject({ why: 'not-signed' });
  });

  it('names what was pushed about an image, and of another kind nothing', async () => {
    const image = await pushed('team/listed');
    const statement = statementOf({ digest: image.digest });
    const { digest } = await pushBundle('team/listed', image, keyBundle(owner, statement));
    const found = { kind: 'found', by: 'api' };
    // Of what kind a referrer is, this registry takes from its configuration; and it filters nothing, so that we do.
    const all = await referrersOf('team/listed', image, empty.mediaType);
    expect(all).toMatchObject({ ...found, descriptors: [{ digest }] });
    const others = await referrersOf('team/listed', image, 'application/spdx+json');
    expect(others).toMatchObject({ ...found, descriptors: [] });
  });

  it('is believed about whose bundle it is only as far as the signature goes', async () => {
    const image = await pushed('team/signed');
    const statement = statementOf({ digest: image.digest });
    await pushBundle('team/signed', image, keyBundle(owner, statement));
    expect(await verified('team/signed', team)).toMatchObject({
      kind: 'trusted',
      digest: image.digest,
    });
    const stranger = authorityOf({ keys: [keySigner().pem] });
    expect(await verified('team/signed', stranger)).toMatchObject({ why: 'bad-proof' });

    const other = await pushed('team/moved');
    await pushBundle('team/moved', other, keyBundle(owner, statement));
    expect(await verified('team/moved', team)).toMatchObject({ kind: 'untrusted' });
  });

  it('has keyless bundles, which hold by who signed', async () => {
    const sigstore = await openSigstore();
    const image = await pushed('team/keyless');
    const bundle = await sigstore.signStatement(robot, statementOf({ digest: image.digest }));
    await pushBundle('team/keyless', image, bundle);
    const by = (identity: string) =>
      authorityOf({ keyless: { issuer: robot.issuer, identity, trustedRoot: '/root.json' } });
    const good = await verified('team/keyless', by(robot.subject), sigstore.root);
    expect(good).toMatchObject({ kind: 'trusted', digest: image.digest });
    const bad = await verified('team/keyless', by('https://ci.test/other'), sigstore.root);
    expect(bad).toMatchObject({ why: 'bad-proof' });
    await sigstore.close();
  });

  it('is not asked for the list that stands in for the API elsewhere', async () => {
    const image = await pushed('team/fallback');
    const target = { ...registry, repository: 'team/fallback' };
    const statement = statementOf({ digest: image.digest });
    const blob = bundleContent(Buffer.from(JSON.stringify(keyBundle(owner, statement))));
    // About nothing: the API does not know it.
    const { subject: _, ...unbound } = JSON.parse(String(bundleManifest(blob, image).bytes));
    const content = contentOf(bundleManifest(blob, image).mediaType, unbound);
    await pushBlob(target, blob);
    await pushManifest(target, content, content.digest);
    const list = referrersIndex([{ content, artifactType: bundleType }]);
    await pushManifest(target, list, fallbackTag(image.digest));
    expect(await verified('team/fallback', team)).toMatchObject({ why: 'not-signed' });
  });
});
