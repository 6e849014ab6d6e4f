import { afterEach, describe, expect, it } from 'vitest';
import { keyBundle } from '#test/support/cosign/bundle.ts';
import { authorityOf, openSignedRegistry } from '#test/support/cosign/signed-registry.ts';
import { keySigner, layerBy, payloadOf, statementOf } from '#test/support/cosign/signing.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import type { Script } from '#test/support/registry/scripted-host.ts';

const owner = keySigner();
const team = authorityOf({ keys: [owner.pem] });

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((close) => close()));
});

/** An image that is signed, behind a registry that does as it is told first. */
async function open(wrap: (script: Script) => Script) {
  const place = await openSignedRegistry(wrap);
  opened.push(place.close);
  const { image, reference } = place;
  place.keepSigned([layerBy(owner, payloadOf({ digest: image.digest, reference }))]);
  return place;
}

const answering =
  (part: RegExp, status: number, headers: Record<string, string> = {}) =>
  (script: Script): Script =>
  (request, response, heard) => {
    if (part.test(heard.path)) response.writeHead(status, headers).end('{}');
    else script(request, response, heard);
  };

/** Answers for such a path when eight of them were asked for, but for the image itself. */
function inEights(script: Script, part: RegExp, image: string): Script {
  const waiting: (() => void)[] = [];
  return (request, response, heard) => {
    const isHeld = part.test(heard.path) && !heard.path.includes(image.replace('sha256:', ''));
    if (!isHeld) return script(request, response, heard);
    waiting.push(() => script(request, response, heard));
    if (waiting.length === 8) for (const go of waiting.splice(0)) go();
  };
}

describe('what a registry answers instead', () => {
  it.each<[string, (script: Script) => Script, object]>([
    ['an error for the image', answering(/manifests\/1\.0/, 503), { why: 'registry' }],
    ['an error for the signatures', answering(/\.sig$/, 500), { why: 'registry' }],
    ['an error for the payload', answering(/blobs/, 502), { why: 'registry' }],
    ['that it is busy', answering(/\.sig$/, 429, { 'retry-after': '1' }), { why: 'registry' }],
    [
      'a redirect to where nothing is connected to',
      answering(/manifests\/1\.0/, 307, { location: 'http://169.254.169.254/latest' }),
      { why: 'not-allowed' },
    ],
  ])('%s: nothing can be said', async (_, wrap, expected) => {
    const place = await open(wrap);
    expect(await place.verify([team])).toMatchObject({ kind: 'unavailable', ...expected });
  });

  it.each<[string, (script: Script) => Script, string]>([
    ['that there is no image', answering(/manifests\/1\.0/, 404), 'not-signed'],
    ['that there are no signatures', answering(/\.sig$/, 404), 'not-signed'],
    ['that the listed payload is gone', answering(/blobs/, 404), 'bad-proof'],
    [
      'a page for people',
      answering(/manifests/, 200, { 'content-type': 'text/html' }),
      'bad-proof',
    ],
    [
      'another payload under the digest',
      (script) => (request, response, heard) => {
        if (!heard.path.includes('/blobs/')) return script(request, response, heard);
        response.end(payloadOf({ digest: makeImage('evil').manifest.digest }));
      },
      'bad-proof',
    ],
  ])('%s: it is not signed', async (_, wrap, why) => {
    const place = await open(wrap);
    expect(await place.verify([team])).toMatchObject({ kind: 'untrusted', why });
  });

  it('vouches all the same when only the other layout cannot be read', async () => {
    const place = await open(answering(/referrers/, 500));
    expect(await place.verify([team])).toMatchObject({ kind: 'trusted' });
  });

  it('is waited for as long as the asker waits', async () => {
    const place = await open(() => () => {});
    const signal = AbortSignal.timeout(50);
    expect(await place.verify([team], { signal })).toMatchObject({
      kind: 'unavailable',
      why: 'too-slow',
    });
  });

  // Else whoever may push could put so much before it that nobody waits for the end.
  it.each<['payloads' | 'bundles', RegExp]>([
    ['payloads', /\/blobs\//],
    ['bundles', /\/manifests\/sha256:/],
  ])('is asked for several %s at once', async (kind, part) => {
    const image = makeImage('app').manifest.digest;
    const place = await openSignedRegistry((script) => inEights(script, part, image));
    opened.push(place.close);
    const others = Array.from({ length: 16 }, (_, at) => makeImage(`other ${at}`).manifest);
    const claims = others.map(({ digest }) => ({ digest, reference: place.reference }));
    if (kind === 'bundles') {
      place.keepBundles(claims.map((claim) => keyBundle(owner, statementOf(claim))));
    } else place.keepSigned(claims.map((claim) => layerBy(owner, payloadOf(claim))));
    expect(await place.verify([team])).toMatchObject({ why: 'other-digest' });
  });

  it('judges what it sends for a digest by the digest, whatever the tag says by now', async () => {
    const place = await open((script) => script);
    const { digest } = place.image;
    place.memory.keep('team/app', makeImage('evil').manifest, '1.0');
    expect(await place.verify([team])).toMatchObject({ why: 'not-signed' });
    expect(await place.verify([team], { digest })).toMatchObject({ kind: 'trusted', digest });
  });

  it('cannot give another image for the digest of a signed one', async () => {
    const evil = makeImage('evil').manifest;
    const place = await open((script) => (request, response, heard) => {
      if (!/manifests\/sha256:/.test(heard.path)) return script(request, response, heard);
      response.writeHead(200, { 'content-type': evil.mediaType }).end(evil.bytes);
    });
    const { digest } = place.image;
    expect(await place.verify([team], { digest })).toMatchObject({ why: 'bad-proof' });
  });

  it('says which image is meant once: a tag that moves in between mixes no two', async () => {
    const evil = makeImage('evil').manifest;
    const asked = { count: 0 };
    const place = await open((script) => (request, response, heard) => {
      const isMoved = heard.path.endsWith('/manifests/1.0') && asked.count++ > 0;
      if (!isMoved) return script(request, response, heard);
      response.writeHead(200, { 'content-type': evil.mediaType }).end(evil.bytes);
    });
    expect(await place.verify([team])).toMatchObject({ digest: place.image.digest });
    expect(asked.count).toBe(1);
  });

  it('shows a signature of one repository in another: it vouches for nothing there', async () => {
    const place = await open((script) => script);
    place.memory.keep('team/evil', place.image, '1.0');
    const copied = layerBy(
      owner,
      payloadOf({ digest: place.image.digest, reference: place.reference }),
    );
    place.keepSignedAt('team/evil', [copied]);
    expect(await place.verify([team], { repository: 'team/evil' })).toMatchObject({
      why: 'bad-proof',
    });
  });

  it('may be a mirror: the name that counts is that of the origin, the image is the one that is pulled', async () => {
    const place = await open((script) => script);
    const pulled = { registry: place.host.host, repository: 'mirror/app' };
    expect(await place.verify([team], { pulled })).toMatchObject({ why: 'not-signed' });
    place.memory.keep('mirror/app', place.image, '1.0');
    const { digest } = place.image;
    expect(await place.verify([team], { pulled })).toMatchObject({ kind: 'trusted', digest });
    place.memory.keep('mirror/app', makeImage('evil').manifest, '1.0');
    // Its origin shows no such image: what it has about it nobody was told.
    expect(await place.verify([team], { pulled })).toMatchObject({ why: 'registry-refused' });
    for (const repository of ['mirror/app', 'team/app']) {
      place.memory.keep(repository, makeImage('unsigned').manifest, '1.0');
    }
    expect(await place.verify([team], { pulled })).toMatchObject({ why: 'not-signed' });
  });

  it('lists an SBOM and a signature: only what can be a signature is read', async () => {
    const place = await open(answering(/\.sig$/, 404));
    place.keepBundles([keyBundle(owner, statementOf({ digest: place.image.digest }))], 'api', {
      artifactType: 'application/spdx+json',
    });
    expect(await place.verify([team])).toMatchObject({ why: 'not-signed' });
  });
});
