import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCosign } from '#shared/adapters/cosign/open-cosign.ts';
import { openOutside } from '#shared/adapters/http/open-outside.ts';
import { signatureTag } from '#shared/domain/image-trust/cosign/layout.ts';
import type { Authority } from '#shared/domain/image-trust/cosign/settings.ts';
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
import {
  keySigner,
  layerBy,
  payloadOf,
  signatureManifest,
  statementOf,
} from '#test/support/cosign/signing.ts';
import {
  type DebianRegistry,
  startDebianRegistry,
} from '#test/support/registry/debian-registry.ts';
import { loopback } from '#test/support/registry/outside-world.ts';
import { pushBlob, pushImage, pushManifest } from '#test/support/registry/push.ts';
import { type Content, contentOf, makeImage } from '#test/support/registry/pushed-image.ts';
import { as, registryOver } from '#test/support/registry/registry-world.ts';

const owner = keySigner();
const robot = { subject: 'https://ci.test/release', issuer: 'https://issuer.test' };
const empty = contentOf('application/vnd.oci.empty.v1+json', {});
const undo: (() => unknown)[] = [];
afterAll(async () => {
  for (const each of undo.splice(0).toReversed()) await each();
});

const world: { registry?: DebianRegistry } = {};

function registry(): DebianRegistry {
  if (world.registry === undefined) throw new Error('docker-registry has not started');
  return world.registry;
}

async function pushed(repository: string): Promise<Content> {
  const image = makeImage(repository);
  await pushImage({ ...registry(), repository }, image, '1.0');
  await pushBlob({ ...registry(), repository }, empty);
  return image.manifest;
}

/** As a client does where there is no API for it. */
async function pushBundle(repository: string, image: Content, bundle: object): Promise<void> {
  const target = { ...registry(), repository };
  const blob = bundleContent(Buffer.from(JSON.stringify(bundle)));
  const content = bundleManifest(blob, image);
  await pushBlob(target, blob);
  await pushManifest(target, content, content.digest);
  const index = referrersIndex([{ content, artifactType: bundleType }]);
  await pushManifest(target, index, fallbackTag(image.digest));
}

function verified(repository: string, authority: Authority, root = {}) {
  const { host, ca } = registry();
  const outside = openOutside({
    hosts: [{ host, ca, addresses: [...loopback, '::1'] }],
    userAgent: 'gatehouse-test',
    deadlineMs: 20_000,
    connectionsPerHost: 4,
  });
  undo.push(outside.close);
  const cosign = openCosign({
    registry: registryOver(outside, { deadlineMs: 20_000 }),
    readText: async () => JSON.stringify(root),
  });
  return cosign.verify({
    image: { registry: host, repository, tag: '1.0', digest: undefined },
    authorities: [authority],
    access: as(),
    signal: new AbortController().signal,
    now: new Date(),
  });
}

beforeAll(async () => {
  world.registry = await startDebianRegistry({ kind: 'none' });
  undo.push(world.registry.stop);
});

describe("cosign's signatures in Debian's docker-registry", () => {
  const team = authorityOf({ keys: [owner.pem] });

  it('are none where nobody has signed', async () => {
    await pushed('team/unsigned');
    expect(await verified('team/unsigned', team)).toMatchObject({ why: 'not-signed' });
  });

  it('are found under the tag', async () => {
    const image = await pushed('team/tagged');
    const target = { ...registry(), repository: 'team/tagged' };
    const reference = `${registry().host}/team/tagged`;
    const layer = layerBy(owner, payloadOf({ digest: image.digest, reference }));
    await pushBlob(target, layer.content);
    await pushManifest(target, signatureManifest([layer]), signatureTag(image.digest));
    expect(await verified('team/tagged', team)).toMatchObject({ digest: image.digest });
    const stranger = authorityOf({ keys: [keySigner().pem] });
    expect(await verified('team/tagged', stranger)).toMatchObject({ why: 'bad-proof' });
  });

  it('are found in a list that stands in for the referrers API', async () => {
    const image = await pushed('team/referred');
    const statement = statementOf({ digest: image.digest });
    await pushBundle('team/referred', image, keyBundle(owner, statement));
    expect(await verified('team/referred', team)).toMatchObject({ digest: image.digest });
  });

  it('hold without a key, by who signed and what the log says of it', async () => {
    const sigstore = await openSigstore();
    undo.push(sigstore.close);
    const image = await pushed('team/keyless');
    const bundle = await sigstore.signStatement(robot, statementOf({ digest: image.digest }));
    await pushBundle('team/keyless', image, bundle);
    const by = (identity: string) =>
      authorityOf({ keyless: { issuer: robot.issuer, identity, trustedRoot: '/root.json' } });
    const good = await verified('team/keyless', by(robot.subject), sigstore.root);
    expect(good).toMatchObject({ kind: 'trusted', digest: image.digest });
    const other = await verified('team/keyless', by('https://ci.test/other'), sigstore.root);
    expect(other).toMatchObject({ why: 'bad-proof' });
  });
});
