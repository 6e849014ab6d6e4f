import { AsyncLocalStorage } from 'node:async_hooks';
import { X509Certificate } from 'node:crypto';
import { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { builtIn } from '#shared/adapters/cosign/trusted-root.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { annotationsOf } from '#test/support/cosign/bundle.ts';
import {
  type LocalSigstore,
  openSigstore,
  type Person,
} from '#test/support/cosign/local-sigstore.ts';
import { authorityOf, openSignedRegistry } from '#test/support/cosign/signed-registry.ts';
import { layerOf, payloadOf, statementOf } from '#test/support/cosign/signing.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import { makeCa, makeLeaf } from '#test/support/tls.ts';

const robot: Person = {
  subject: 'https://ci.test/team/app/release.yaml',
  issuer: 'https://issuer.test',
};
const team = authorityOf({
  keyless: { issuer: robot.issuer, identity: robot.subject, trustedRoot: '/root.json' },
});
const anybody = authorityOf({ keyless: { issuer: robot.issuer, identity: robot.subject } });
const others = makeImage('other').manifest.digest;

const world: { sigstore?: LocalSigstore } = {};
const opened: (() => Promise<void>)[] = [];

beforeAll(async () => {
  world.sigstore = await openSigstore();
  opened.push(world.sigstore.close);
});
afterAll(async () => {
  await Promise.all(opened.map((close) => close()));
});

async function open(sigstore = world.sigstore) {
  const place = await openSignedRegistry();
  opened.push(place.close);
  if (sigstore === undefined) throw new Error('nobody signs');
  place.root.text = JSON.stringify(sigstore.root);
  const { image, reference } = place;
  return { ...place, sigstore, payload: payloadOf({ digest: image.digest, reference }) };
}

type Place = Awaited<ReturnType<typeof open>>;

const bundle = async ({ sigstore, image }: Place, person = robot) =>
  sigstore.signStatement(person, statementOf({ digest: image.digest }));

const old = async ({ sigstore, payload }: Place, person = robot) =>
  annotationsOf(await sigstore.signBytes(person, payload));

/** The same JSON with one part replaced. */
function changed(value: JsonObject, change: (text: string) => string): JsonObject {
  return JSON.parse(change(JSON.stringify(value)));
}

function authoritiesIn(root: JsonObject): readonly JsonObject[] {
  return (root['certificateAuthorities'] ?? []) as readonly JsonObject[];
}

function without(value: JsonObject, key: string): JsonObject {
  return JSON.parse(JSON.stringify(value, (name, part) => (name === key ? undefined : part)));
}

/** What it is done for, and whoever is waited for by it: a connection of before has none of that. */
const ofWork = new AsyncLocalStorage<number[]>();

/** The ports that it dials, by whichever client, and not what others in this process dial meanwhile. */
async function dialledBy(work: () => Promise<unknown>): Promise<readonly number[]> {
  const { connect } = Socket.prototype;
  const dialling = vi.spyOn(Socket.prototype, 'connect');
  dialling.mockImplementation(function (this: Socket, ...given: readonly unknown[]) {
    const [options] = given.flat() as readonly { readonly port?: unknown }[];
    ofWork.getStore()?.push(Number(options?.port));
    return Reflect.apply(connect, this, given);
  });
  const ports: number[] = [];
  try {
    await ofWork.run(ports, work);
    return ports;
  } finally {
    dialling.mockRestore();
  }
}

describe('a keyless signature', () => {
  it.each([
    ['a root in a file', team, 'trusted'],
    ['the root of the public instance', anybody, 'untrusted'],
  ])('is checked against %s, and nobody but the registry is asked', async (_, authority, kind) => {
    const place = await open();
    place.keepBundles([await bundle(place)]);
    place.keepSigned([layerOf(place.payload, await old(place))]);
    const dialled = await dialledBy(async () => {
      expect(await place.verify([authority])).toMatchObject({ kind });
    });
    expect(new Set(dialled)).toEqual(new Set([place.host.port]));
  });

  it('holds as a bundle, and says whose it is', async () => {
    const place = await open();
    place.keepBundles([await bundle(place)]);
    expect(await place.verify([team])).toMatchObject({
      kind: 'trusted',
      by: { keys: [`${robot.subject} (${robot.issuer})`] },
    });
  });

  it('holds in the annotations of the older layout', async () => {
    const place = await open();
    place.keepSigned([layerOf(place.payload, await old(place))]);
    expect(await place.verify([team])).toMatchObject({ kind: 'trusted' });
  });

  it.each<[string, Partial<Person>]>([
    ['by somebody else', { subject: 'https://ci.test/other' }],
    ['whose name only begins the same', { subject: `${robot.subject}.evil` }],
    ['of the same name from another issuer', { issuer: 'https://issuer.test/other' }],
  ])('vouches for nothing when it is one %s', async (_, person) => {
    const place = await open();
    place.keepBundles([await bundle(place, { ...robot, ...person })]);
    place.keepSigned([layerOf(place.payload, await old(place, { ...robot, ...person }))]);
    const judgement = await place.verify([team]);
    expect(judgement).toMatchObject({
      kind: 'untrusted',
      note: expect.stringContaining('somebody'),
    });
  });

  it('is matched by a pattern as a whole', async () => {
    const place = await open();
    place.keepBundles([await bundle(place)]);
    const by = (identityPattern: string) =>
      authorityOf({
        keyless: { issuer: robot.issuer, identityPattern, trustedRoot: '/root.json' },
      });
    expect(await place.verify([by('https://ci\\.test/team/[^/]+/release\\.yaml')])).toMatchObject({
      kind: 'trusted',
    });
    expect(await place.verify([by('https://ci\\.test/team')])).toMatchObject({ why: 'bad-proof' });
  });

  it.each<[string, (place: Place) => Promise<JsonObject>]>([
    [
      'without a proof that the log has it',
      async (place) => without(await bundle(place), 'inclusionProof'),
    ],
    ['without any entry of the log', async (place) => without(await bundle(place), 'tlogEntries')],
    [
      'with the entry of another signature',
      async (place) => {
        const entry = JSON.stringify(
          (await place.sigstore.signStatement(robot, statementOf({ digest: others })))[
            'verificationMaterial'
          ],
        );
        const own = await bundle(place);
        const entries = (JSON.parse(entry) as JsonObject)['tlogEntries'] ?? null;
        const material = own['verificationMaterial'] as JsonObject;
        return { ...own, verificationMaterial: { ...material, tlogEntries: entries } };
      },
    ],
    [
      'whose statement was changed afterwards',
      async (place) => {
        const signed = await place.sigstore.signStatement(robot, statementOf({ digest: others }));
        const said = statementOf({ digest: others }).toString('base64');
        const instead = statementOf({ digest: place.image.digest }).toString('base64');
        return changed(signed, (text) => text.replaceAll(said, instead));
      },
    ],
    [
      'that says another time than the log',
      async (place) =>
        changed(await bundle(place), (text) =>
          text.replace(/"integratedTime":"\d+"/, '"integratedTime":"1893456000"'),
        ),
    ],
    [
      'of another digest',
      async ({ sigstore }) => sigstore.signStatement(robot, statementOf({ digest: others })),
    ],
    [
      'that is an attestation of something else about it',
      async ({ sigstore, image }) =>
        sigstore.signStatement(
          robot,
          statementOf({ digest: image.digest, predicate: 'https://spdx.dev/Document' }),
        ),
    ],
    [
      'over the bare bytes of the manifest',
      async ({ sigstore, image }) => sigstore.signBytes(robot, image.bytes),
    ],
  ])('vouches for nothing as a bundle %s', async (_, made) => {
    const place = await open();
    place.keepBundles([await made(place)]);
    expect(await place.verify([team])).toMatchObject({ kind: 'untrusted' });
  });

  type Old = Awaited<ReturnType<typeof old>>;
  it.each<[string, (own: Old, place: Place) => Promise<Partial<Old>> | Partial<Old>]>([
    ['without what the log has said', ({ signature, certificate }) => ({ signature, certificate })],
    ['without a certificate', ({ signature, rekor }) => ({ signature, rekor })],
    [
      'with another time than the log has said',
      (own) => ({
        ...own,
        rekor: own.rekor.replace(/"integratedTime":\d+/, '"integratedTime":1893456000'),
      }),
    ],
    [
      'with what the log has said of another',
      async (own, { sigstore }) => ({
        ...own,
        rekor: annotationsOf(await sigstore.signBytes(robot, Buffer.from('other'))).rekor,
      }),
    ],
    [
      'with the certificate of another',
      async (own, { sigstore }) => ({
        ...own,
        certificate: annotationsOf(await sigstore.signBytes(robot, Buffer.from('other')))
          .certificate,
      }),
    ],
    ['with a log entry that is no JSON', (own) => ({ ...own, rekor: '{' })],
    ['with a log entry nested without end', (own) => ({ ...own, rekor: '['.repeat(20_000) })],
    ['with a certificate that is none', (own) => ({ ...own, certificate: own.signature })],
  ])('vouches for nothing in the older layout %s', async (_, made) => {
    const place = await open();
    place.keepSigned([layerOf(place.payload, await made(await old(place), place))]);
    expect(await place.verify([team])).toMatchObject({ kind: 'untrusted', why: 'bad-proof' });
  });

  it.each([
    ['before the certificate was valid', -3_600_000],
    ['after it had expired', 3_600_000],
  ])('vouches for nothing if the log took it %s', async (_, offset) => {
    const authority = new Date();
    const log = new Date(authority.getTime() + offset);
    const sigstore = await openSigstore({ authority, log });
    opened.push(sigstore.close);
    const place = await open(sigstore);
    place.keepBundles([await bundle(place)]);
    place.keepSigned([layerOf(place.payload, await old(place))]);
    expect(await place.verify([team])).toMatchObject({
      why: 'bad-proof',
      note: expect.stringContaining('certificate'),
    });
  });

  it('is held to the time of the log alone, whatever the clock here says', async () => {
    const authority = new Date(Date.now() + 3_600_000);
    const sigstore = await openSigstore({
      authority,
      log: new Date(authority.getTime() + 300_000),
    });
    opened.push(sigstore.close);
    const place = await open(sigstore);
    place.keepBundles([await bundle(place)]);
    expect(await place.verify([team])).toMatchObject({ kind: 'trusted' });
  });

  it('vouches for nothing by the word of an authority or of a log that nobody trusts', async () => {
    const sigstore = await openSigstore();
    opened.push(sigstore.close);
    const place = await open();
    place.keepBundles([
      await sigstore.signStatement(robot, statementOf({ digest: place.image.digest })),
    ]);
    expect(await place.verify([team])).toMatchObject({ kind: 'untrusted', why: 'bad-proof' });

    const mixed = {
      ...place.sigstore.root,
      certificateAuthorities: sigstore.root['certificateAuthorities'] ?? [],
    };
    place.root.text = JSON.stringify(mixed);
    expect(await place.verify([team])).toMatchObject({ kind: 'untrusted', why: 'bad-proof' });
  });

  it('needs the log where the root names one, even if a clock has seen it', async () => {
    const place = await open();
    const statement = statementOf({ digest: place.image.digest });
    place.keepBundles([await place.sigstore.stampStatement(robot, statement)]);
    expect(await place.verify([team])).toMatchObject({
      why: 'bad-proof',
      note: expect.stringContaining('the log'),
    });
    place.root.text = JSON.stringify({ ...place.sigstore.root, tlogs: [] });
    expect(await place.verify([team])).toMatchObject({ kind: 'trusted' });
  });

  it("vouches for nothing by the certificate of a server, though it is the authority's", async () => {
    const place = await open();
    const ca = await makeCa();
    const leaf = await makeLeaf(ca, 'ci.test');
    const statement = statementOf({ digest: place.image.digest });
    place.keepBundles([await place.sigstore.signAs(leaf, statement)]);
    const rawBytes = new X509Certificate(ca.certificate).raw.toString('base64');
    const [authority] = authoritiesIn(place.sigstore.root);
    const own = { ...authority, certChain: { certificates: [{ rawBytes }] } };
    place.root.text = JSON.stringify({
      ...place.sigstore.root,
      ...{ certificateAuthorities: [own], ctlogs: [] },
    });
    expect(await place.verify([team])).toMatchObject({
      note: expect.stringContaining('certificate was not valid'),
    });
  });

  it('follows a trusted root that changes on the disk, and says when there is none', async () => {
    const place = await open();
    place.keepBundles([await bundle(place)]);
    place.root.text = '{}';
    expect(await place.verify([team])).toMatchObject({ why: 'bad-rules' });
    place.root.text = JSON.stringify(place.sigstore.root);
    expect(await place.verify([team])).toMatchObject({ kind: 'trusted' });
    delete place.root.text;
    expect(await place.verify([team])).toMatchObject({ kind: 'untrusted', why: 'bad-rules' });
  });

  it('is checked against the public instance where no file is named', async () => {
    const place = await open();
    place.keepBundles([await bundle(place)]);
    expect(await place.verify([anybody])).toMatchObject({ kind: 'untrusted', why: 'bad-proof' });
    const { certificateAuthorities, tlogs, ctlogs, timestampAuthorities } = builtIn();
    const counts = [certificateAuthorities, tlogs, ctlogs, timestampAuthorities].map(
      (all) => all.length,
    );
    expect(counts).toEqual([2, 2, 2, 1]);
  });
});
