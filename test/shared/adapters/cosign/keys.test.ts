import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { keyBundle } from '#test/support/cosign/bundle.ts';
import { authorityOf, now, openSignedRegistry } from '#test/support/cosign/signed-registry.ts';
import {
  keySigner,
  layerBy,
  layerOf,
  payloadOf,
  type SignedLayer,
  signatureBy,
  statementOf,
} from '#test/support/cosign/signing.ts';
import { makeImage, makeIndex } from '#test/support/registry/pushed-image.ts';

const owner = keySigner();
const stranger = keySigner();
const team = authorityOf({ keys: [owner.pem] });
const others = makeImage('other').manifest.digest;

const opened: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(opened.map((close) => close()));
});

async function open() {
  const place = await openSignedRegistry();
  opened.push(place.close);
  return place;
}

type Place = Awaited<ReturnType<typeof open>>;
const at: { place: Place } = { place: await open() };
beforeEach(async () => {
  at.place = await open();
});

function mine(said: Partial<Parameters<typeof payloadOf>[0]> = {}): Buffer {
  const { image, reference } = at.place;
  return payloadOf({ digest: image.digest, reference, ...said });
}

describe('a signature by a key, under the tag', () => {
  it.each(['p256', 'p384', 'rsa', 'ed25519'] as const)(
    'holds with a key of kind %s',
    async (kind) => {
      const signer = keySigner(kind);
      at.place.keepSigned([layerBy(signer, mine())]);
      const judgement = await at.place.verify([authorityOf({ keys: [owner.pem, signer.pem] })]);
      expect(judgement).toMatchObject({ kind: 'trusted', digest: at.place.image.digest });
    },
  );

  it('says who vouched, by which key, under which name and until when', async () => {
    at.place.keepSigned([layerBy(owner, mine())]);
    expect(await at.place.verify([authorityOf({ keys: [owner.pem], servesFor: '2h' })])).toEqual({
      kind: 'trusted',
      digest: at.place.image.digest,
      children: [],
      by: {
        verifier: 'cosign',
        server: 'team',
        name: `${at.place.reference}:1.0`,
        keys: [expect.stringMatching(/^sha256:[0-9a-f]{64}$/)],
      },
      until: new Date(now.getTime() + 2 * 3600_000),
      remarks: [],
    });
  });

  it('is enough beside bad ones, wherever it stands', async () => {
    const bad: readonly SignedLayer[] = [
      layerBy(stranger, mine()),
      layerOf(Buffer.from('{'), { signature: 'AAAA' }),
      layerBy(owner, payloadOf({ digest: others, reference: at.place.reference })),
    ];
    at.place.keepSigned([...bad, layerBy(owner, mine()), ...bad]);
    expect(await at.place.verify([team])).toMatchObject({ kind: 'trusted' });
  });

  it('holds for a list by the digest of the list, and names its children', async () => {
    const list = makeIndex(at.place.image);
    at.place.memory.keep('team/app', list, '2.0');
    at.place.keepSigned([layerBy(owner, mine({ digest: list.digest }))], list);
    const judgement = await at.place.verify([team], { tag: '2.0' });
    expect(judgement).toMatchObject({
      kind: 'trusted',
      digest: list.digest,
      children: [at.place.image.digest],
    });
  });

  it.each<[string, () => SignedLayer, string]>([
    ['by a key of somebody else', () => layerBy(stranger, mine()), 'bad-proof'],
    ['of another digest', () => layerBy(owner, mine({ digest: others })), 'other-digest'],
    [
      'under another repository',
      () => layerBy(owner, mine({ reference: 'a.test/b' })),
      'bad-proof',
    ],
    [
      'under a repository whose name begins the same',
      () => layerBy(owner, mine({ reference: `${at.place.reference}-evil` })),
      'bad-proof',
    ],
    [
      'under another tag',
      () => layerBy(owner, mine({ reference: `${at.place.reference}:0.9` })),
      'bad-proof',
    ],
    [
      'under no name that can be read',
      () => layerBy(owner, mine({ reference: 'A B' })),
      'bad-proof',
    ],
    ['of a payload of another type', () => layerBy(owner, mine({ type: 'a letter' })), 'bad-proof'],
    [
      'whose payload was changed afterwards',
      () =>
        layerOf(mine(), {
          signature: signatureBy(owner, payloadOf({ digest: others })),
        }),
      'bad-proof',
    ],
    ['that is no base64', () => layerOf(mine(), { signature: '%%%' }), 'bad-proof'],
    ['that is empty bytes', () => layerOf(mine(), { signature: '====' }), 'bad-proof'],
    ['that is missing', () => layerOf(mine(), {}), 'not-signed'],
    [
      'over a payload that is nested without end',
      () => layerBy(owner, Buffer.from(`{"critical":${'['.repeat(20_000)}`)),
      'bad-proof',
    ],
    [
      'over a payload that is larger than any',
      () => layerBy(owner, mine({ annotations: { long: 'x'.repeat(70_000) } })),
      'bad-proof',
    ],
    [
      'over a payload that is whole, but deeper than any',
      () =>
        layerBy(
          owner,
          mine({ annotations: JSON.parse(`{"a":${'['.repeat(30)}${']'.repeat(30)}}`) }),
        ),
      'bad-proof',
    ],
    ['over a payload that is no object', () => layerBy(owner, Buffer.from('[1]')), 'bad-proof'],
  ])('vouches for nothing: %s', async (_, layer, why) => {
    at.place.keepSigned([layer()]);
    expect(await at.place.verify([team])).toMatchObject({ kind: 'untrusted', why });
  });

  it('does not hold with a key that is too short', async () => {
    const short = keySigner('short-rsa');
    at.place.keepSigned([layerBy(short, mine())]);
    const judgement = await at.place.verify([authorityOf({ keys: [short.pem] })]);
    expect(judgement).toMatchObject({ kind: 'untrusted', why: 'bad-proof' });
  });

  it('is looked for among the newest thirty-two alone', async () => {
    const bad = Array.from({ length: 40 }, (_, index) =>
      layerBy(stranger, mine({ annotations: { index: `${index}` } })),
    );
    at.place.keepSigned([layerBy(owner, mine()), ...bad]);
    expect(await at.place.verify([team])).toMatchObject({ kind: 'untrusted', why: 'bad-proof' });
    const blobs = at.place.host.heard.filter(({ path }) => path.includes('/blobs/'));
    expect(blobs).toHaveLength(32);
  });
});

describe('an authority', () => {
  it('is not asked about repositories that it does not answer for', async () => {
    at.place.keepSigned([layerBy(owner, mine())]);
    const elsewhere = authorityOf({ keys: [owner.pem], prefixes: [`${at.place.host.host}/te`] });
    expect(await at.place.verify([elsewhere])).toMatchObject({ why: 'not-signed' });
    expect(at.place.host.heard).toEqual([]);
    const here = authorityOf({ keys: [owner.pem], prefixes: [`${at.place.host.host}/team/`] });
    expect(await at.place.verify([elsewhere, here])).toMatchObject({ kind: 'trusted' });
  });

  it.each<[string, Record<string, string> | null, string]>([
    ['all of them, and more', { env: 'prod', team: 'a', more: 'b' }, 'trusted'],
    ['one of two', { env: 'prod' }, 'untrusted'],
    ['another value', { env: 'test', team: 'a' }, 'untrusted'],
    ['none at all', null, 'untrusted'],
  ])('asks for annotations: %s', async (_, annotations, kind) => {
    at.place.keepSigned([layerBy(owner, mine({ annotations }))]);
    const strict = authorityOf({ keys: [owner.pem], annotations: { env: 'prod', team: 'a' } });
    expect(await at.place.verify([strict])).toMatchObject({ kind });
  });

  it.each([
    ['ignored', 'elsewhere.test/app', 'trusted'],
    ['required', '', 'untrusted'],
    ['if-stated', '', 'trusted'],
  ] as const)('reads the signed name as told: %s, "%s"', async (signedName, reference, kind) => {
    at.place.keepSigned([layerBy(owner, mine({ reference }))]);
    const judgement = await at.place.verify([authorityOf({ keys: [owner.pem], signedName })]);
    expect(judgement).toMatchObject({ kind });
  });

  it('with a key that cannot be read says nothing', async () => {
    at.place.keepSigned([layerBy(owner, mine())]);
    const broken = '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----';
    const judgement = await at.place.verify([authorityOf({ keys: [broken] })]);
    expect(judgement).toMatchObject({ kind: 'untrusted', why: 'bad-proof' });
  });
});

describe('a signature by a key, as a bundle that refers to the image', () => {
  const statement = (more: Partial<Parameters<typeof statementOf>[0]> = {}) =>
    statementOf({ digest: at.place.image.digest, ...more });

  it.each(['api', 'tag'] as const)('is found by the %s', async (by) => {
    at.place.keepBundles([keyBundle(owner, statement())], by);
    expect(await at.place.verify([team])).toMatchObject({ kind: 'trusted' });
  });

  it('is found behind a tag that somebody has flooded', async () => {
    const flood = Array.from({ length: 40 }, (_, index) =>
      layerBy(stranger, mine({ annotations: { index: `${index}` } })),
    );
    at.place.keepSigned(flood);
    at.place.keepBundles([keyBundle(owner, statement())]);
    expect(await at.place.verify([team])).toMatchObject({ kind: 'trusted' });
  });

  const unread = {
    kind: 'untrusted',
    why: 'bad-proof',
    note: expect.stringContaining('more signatures than'),
  };

  it('is not said to be missing where it lies behind more than are read under the tag', async () => {
    const flood = Array.from({ length: 32 }, (_, index) =>
      layerBy(owner, mine({ digest: others, annotations: { index: `${index}` } })),
    );
    at.place.keepSigned([layerBy(owner, mine()), ...flood]);
    expect(await at.place.verify([team])).toMatchObject(unread);
    at.place.keepSigned([layerBy(owner, mine()), ...flood.slice(1)]);
    expect(await at.place.verify([team])).toMatchObject({ kind: 'trusted' });
  });

  it('is not said to be missing where it lies behind more referrers than are read', async () => {
    const wrong = keyBundle(owner, statement({ digest: others }));
    const flood = Array.from({ length: 32 }, (_, index) => ({ ...wrong, index }));
    at.place.keepBundles([keyBundle(owner, statement()), ...flood]);
    expect(await at.place.verify([team])).toMatchObject(unread);
    at.place.keepBundles([keyBundle(owner, statement()), ...flood.slice(1)]);
    expect(await at.place.verify([team])).toMatchObject({ kind: 'trusted' });
  });

  it('is found in a list that states the type of an empty configuration', async () => {
    const artifactType = 'application/vnd.oci.empty.v1+json';
    at.place.keepBundles([keyBundle(owner, statement())], 'tag', { artifactType });
    expect(await at.place.verify([team])).toMatchObject({ kind: 'trusted' });
  });

  it.each<[string, () => Parameters<Place['keepBundles']>[0][number], string]>([
    ['by a key of somebody else', () => keyBundle(stranger, statement()), 'bad-proof'],
    ['of another digest', () => keyBundle(owner, statement({ digest: others })), 'other-digest'],
    [
      'under another name',
      () => keyBundle(owner, statement({ reference: 'a.test/b' })),
      'bad-proof',
    ],
    [
      'that is an attestation of something else about it',
      () => keyBundle(owner, statement({ predicate: 'https://slsa.dev/provenance/v1' })),
      'bad-proof',
    ],
    ['of another type of text', () => keyBundle(owner, statement(), 'text/plain'), 'bad-proof'],
    [
      'whose statement was changed afterwards',
      () => {
        const bundle = keyBundle(owner, statement({ digest: others }));
        const envelope = bundle['dsseEnvelope'] as Record<string, string>;
        return {
          ...bundle,
          dsseEnvelope: { ...envelope, payload: statement().toString('base64') },
        } as Parameters<Place['keepBundles']>[0][number];
      },
      'bad-proof',
    ],
    ['that is no bundle', () => ({ mediaType: 'x' }), 'bad-proof'],
    ['that is no JSON', () => Buffer.from('{{{'), 'bad-proof'],
    ['that is nested without end', () => Buffer.from('['.repeat(50_000)), 'bad-proof'],
    ['that is larger than any', () => ({ mediaType: 'x'.repeat(300_000) }), 'bad-proof'],
  ])('vouches for nothing when it is one %s', async (_, bundle, why) => {
    at.place.keepBundles([bundle()]);
    expect(await at.place.verify([team])).toMatchObject({ kind: 'untrusted', why });
  });
});
