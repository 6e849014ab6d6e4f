import { afterEach, describe, expect, it } from 'vitest';
import { openCosign } from '#shared/adapters/cosign/open-cosign.ts';
import type { RegistryAccess } from '#shared/domain/registry/registry.ts';
import {
  bundleContent,
  bundleManifest,
  bundleType,
  keyBundle,
  referrersIndex,
} from '#test/support/cosign/bundle.ts';
import { authorityOf, now } from '#test/support/cosign/signed-registry.ts';
import {
  keySigner,
  layerBy,
  payloadOf,
  signatureManifest,
  statementOf,
} from '#test/support/cosign/signing.ts';
import { basicFor, memoryRegistry, send } from '#test/support/registry/memory-registry.ts';
import { openWorld } from '#test/support/registry/outside-world.ts';
import { type Content, indexType, makeImage } from '#test/support/registry/pushed-image.ts';
import { as, passwordAt, registryOver } from '#test/support/registry/registry-world.ts';
import type { Script } from '#test/support/registry/scripted-host.ts';

const world = openWorld();
afterEach(() => world.close());

const owner = keySigner();
const team = authorityOf({ keys: [owner.pem] });
const image = makeImage('app').manifest;
const signatures = `${image.digest.replace(':', '-')}.sig`;
const wanted = basicFor('ann', 'secret');
const repository = 'team/app';

const answering =
  (status: number, headers: Record<string, string> = {}): Script =>
  (_, response) =>
    response.writeHead(status, headers).end('{}');

/** A mirror that shows everybody the image, and the registry that keeps what proves it: what it answers others than Ann. */
async function open(hides?: Script) {
  const [kept, mirrored] = [memoryRegistry(), memoryRegistry()];
  kept.keep(repository, image, '1.0');
  mirrored.keep(repository, image, '1.0');
  const origin = await world.open('origin.test', (request, response, heard) => {
    const isOpen = hides === undefined || heard.authorization === wanted;
    if (isOpen) kept.script(request, response, heard);
    else if (heard.authorization !== undefined) hides(request, response, heard);
    else response.writeHead(401, { 'www-authenticate': 'Basic realm="r"' }).end();
  });
  const mirror = await world.open('mirror.test', mirrored.script);
  const place = { registry: origin.host, repository };
  const keepSigned = () => {
    const reference = `${origin.host}/${repository}`;
    const layer = layerBy(owner, payloadOf({ digest: image.digest, reference }));
    kept.keepBlob(repository, layer.content);
    kept.keep(repository, signatureManifest([layer]), signatures);
  };
  const verifyBy = (how: How) => {
    const mirrors = how === 'a mirror' ? [{ of: origin.host, at: mirror.host }] : [];
    const pulled = how === 'a rewritten name' ? { registry: mirror.host, repository } : undefined;
    const registry = registryOver(world.outside(), { mirrors });
    const cosign = openCosign({ registry, readText: async () => '' });
    return (access: Pick<RegistryAccess, 'logins'>) =>
      cosign.verify({
        image: { ...place, tag: '1.0', digest: image.digest },
        ...{ pulled, now, authorities: [team] },
        access: { reach: 'internal', ...access },
        signal: new AbortController().signal,
      });
  };
  const [rich, poor] = ['ann', 'eve'].map((user) => as([passwordAt(origin.host, user, 'secret')]));
  if (rich === undefined || poor === undefined) throw new Error('nobody asks');
  return { kept, origin, mirror, rich, poor, keepSigned, verifyBy };
}

type How = 'a mirror' | 'a rewritten name';
const hows: readonly How[] = ['a mirror', 'a rewritten name'];
const refused = { kind: 'untrusted', why: 'registry-refused' };
const unsigned = { kind: 'untrusted', why: 'not-signed' };
const trusted = { kind: 'trusted', digest: image.digest };

describe.each(hows)('an image that is shown to everybody by %s', (how) => {
  it.each<[string, Script]>([
    ['401', answering(401)],
    ['403', answering(403)],
    ['404', answering(404)],
    ['400', answering(400)],
    ['410', answering(410)],
    ['a page for people', answering(200, { 'content-type': 'text/html' })],
    ['an empty list', (_, response) => send(response, emptyList)],
  ])('is not unsigned because its registry hides its signatures by %s', async (_, hides) => {
    const { rich, poor, keepSigned, verifyBy } = await open(hides);
    keepSigned();
    const verify = verifyBy(how);
    expect(await verify(poor)).toMatchObject(refused);
    expect(await verify(rich)).toMatchObject(trusted);
  });

  it('is unsigned where its registry shows it, and nothing that proves it', async () => {
    const { origin, mirror, verifyBy } = await open();
    expect(await verifyBy(how)(as())).toMatchObject(unsigned);
    // Tag, API, the tag in its place and whether it shows the image, of each; and the image at first.
    expect(origin.heard.length + mirror.heard.length).toBeLessThanOrEqual(8);
  });

  it('is unsigned to whoever is shown it by a registry that hides it from others', async () => {
    const { rich, poor, verifyBy } = await open(answering(404));
    const verify = verifyBy(how);
    expect(await verify(poor)).toMatchObject(refused);
    expect(await verify(rich)).toMatchObject(unsigned);
  });

  it('is not badly signed because what is listed cannot be seen without a login', async () => {
    const listing = memoryRegistry();
    const layer = layerBy(owner, payloadOf({ digest: image.digest }));
    listing.keep(repository, signatureManifest([layer]), signatures);
    const { rich, poor, keepSigned, verifyBy } = await open(listing.script);
    keepSigned();
    const verify = verifyBy(how);
    expect(await verify(poor)).toMatchObject(refused);
    expect(await verify(rich)).toMatchObject(trusted);
  });
});

const emptyList: Content = {
  mediaType: indexType,
  digest: image.digest,
  bytes: Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests: [] })),
};

const lists =
  (list: Content, script: Script): Script =>
  (request, response, heard) =>
    heard.path.includes('/referrers/') ? send(response, list) : script(request, response, heard);

describe('a mirror', () => {
  it('that lists nothing about an image does not speak for its registry', async () => {
    const kept = memoryRegistry();
    kept.keep(repository, image, '1.0');
    const bundle = bundleContent(keyBundle(owner, statementOf({ digest: image.digest })));
    const content = bundleManifest(bundle, image);
    kept.keepBlob(repository, bundle);
    kept.keep(repository, content);
    const index = referrersIndex([{ content, artifactType: bundleType }]);
    const origin = await world.open('origin.test', lists(index, kept.script));
    const mirror = await world.open('mirror.test', lists(emptyList, kept.script));
    const mirrors = [{ of: origin.host, at: mirror.host }];
    const registry = registryOver(world.outside(), { mirrors });
    const judgement = await openCosign({ registry, readText: async () => '' }).verify({
      image: { registry: origin.host, repository, tag: '1.0', digest: undefined },
      ...{ authorities: [team], access: as(), now },
      signal: new AbortController().signal,
    });
    expect(judgement).toMatchObject(trusted);
  });
});
