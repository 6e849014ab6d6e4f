import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { bundleToJSON } from '@sigstore/bundle';
import {
  fulcioHandler,
  initializeCA,
  initializeCTLog,
  initializeTLog,
  initializeTSA,
  rekorHandler,
  tsaHandler,
} from '@sigstore/mock';
import {
  DSSEBundleBuilder,
  FulcioSigner,
  MessageSignatureBundleBuilder,
  RekorWitness,
  type Signer,
  TSAWitness,
} from '@sigstore/sign';
import { decode, list, maybe, record, text } from '#shared/domain/decode.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import type { KeyPair } from '#shared/ports.ts';
import { openHost } from '../registry/scripted-host.ts';

export type Person = { readonly subject: string; readonly issuer: string };

export type LocalSigstore = {
  /** As a file of settings holds it. */
  readonly root: JsonObject;
  /** A bundle as `cosign sign` pushes it today. */
  signStatement(person: Person, data: Buffer, type?: string): Promise<JsonObject>;
  /** Without a log: only a clock that the root trusts has seen it. */
  stampStatement(person: Person, data: Buffer): Promise<JsonObject>;
  /** By whoever holds a certificate already. */
  signAs(pair: KeyPair, data: Buffer): Promise<JsonObject>;
  /** A bundle of a bare signature: what `sign-blob` makes, and what old annotations are made of. */
  signBytes(person: Person, data: Buffer): Promise<JsonObject>;
  close(): Promise<void>;
};

export type Clocks = {
  /** When the certificate is issued; it lives for ten minutes. */
  readonly authority?: Date;
  /** What the log says that the time is. */
  readonly log?: Date;
};

/** A certificate authority and a log on loopback, asked by the real signing library. */
export async function openSigstore(clocks: Clocks = {}): Promise<LocalSigstore> {
  const keys = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const ctlog = await initializeCTLog(keys());
  const authority = await initializeCA(keys(), ctlog, clocks.authority);
  const fulcio = await serve(fulcioHandler(authority));
  const logs: { handler?: Handler } = {};
  const rekor = await serve({ path: '', fn: (body) => (logs.handler ?? closed).fn(asKept(body)) });
  const log = await initializeTLog(rekor.url, keys(), clocks.log);
  logs.handler = rekorHandler(log);

  const signer = ({ subject, issuer }: Person) =>
    new FulcioSigner({
      fulcioBaseURL: fulcio.url,
      identityProvider: { getToken: async () => tokenFor({ sub: subject, iss: issuer }) },
      retry: 0,
    });
  const clock = await initializeTSA(keys(), wholeMinuteAhead());
  const stamping = await serve(tsaHandler(clock));
  const witness = (entryType: 'dsse' | 'intoto') =>
    new RekorWitness({ rekorBaseURL: rekor.url, entryType, retry: 0 });
  return {
    root: {
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: [logIn(rekor.url, log.publicKey, createHash('sha256').update(log.publicKey).digest())],
      ctlogs: [logIn('https://ct.test', ctlog.publicKey, bufferOf(ctlog.logID))],
      certificateAuthorities: [
        {
          subject: { organization: 'test', commonName: 'test' },
          uri: fulcio.url,
          certChain: { certificates: [{ rawBytes: base64(bufferOf(authority.rootCertificate)) }] },
          validFor: { start: '2020-01-01T00:00:00Z' },
        },
      ],
      timestampAuthorities: [
        {
          ...{ subject: { organization: 'test', commonName: 'clock' }, uri: stamping.url },
          certChain: {
            certificates: [clock.intCertificate, clock.rootCertificate].map((each) => ({
              rawBytes: base64(bufferOf(each)),
            })),
          },
          validFor: { start: '2020-01-01T00:00:00Z' },
        },
      ],
    },
    signStatement: async (person, data, type = inToto) => {
      const witnesses = [witness('dsse')];
      const builder = new DSSEBundleBuilder({ signer: signer(person), witnesses });
      return jsonOf(bundleToJSON(await builder.create({ data, type })));
    },
    stampStatement: async (person, data) => {
      const witnesses = [new TSAWitness({ tsaBaseURL: stamping.url, retry: 0 })];
      const builder = new DSSEBundleBuilder({ signer: signer(person), witnesses });
      return jsonOf(bundleToJSON(await builder.create({ data, type: inToto })));
    },
    signAs: async ({ certificate, key }, data) => {
      const witnesses = [witness('dsse')];
      const builder = new DSSEBundleBuilder({ signer: holder(certificate, key), witnesses });
      return jsonOf(bundleToJSON(await builder.create({ data, type: inToto })));
    },
    signBytes: async (person, data) => {
      const witnesses = [witness('dsse')];
      const builder = new MessageSignatureBundleBuilder({ signer: signer(person), witnesses });
      return jsonOf(bundleToJSON(await builder.create({ data })));
    },
    close: async () => {
      await Promise.all([fulcio.close(), rekor.close(), stamping.close()]);
    },
  };
}

/**
 * Of three digits of a fraction DER writes no 0 at the end, and the library reads nothing but three: one stamp of ten
 * would be none. While the certificates of the next minutes live.
 */
function wholeMinuteAhead(): Date {
  return new Date(Math.ceil(Date.now() / 60_000 + 2) * 60_000);
}

const inToto = 'application/vnd.in-toto+json';

function holder(certificate: string, key: string): Signer {
  return {
    sign: async (data) => ({
      signature: sign('sha256', data, key),
      key: { $case: 'x509Certificate', certificate },
    }),
  };
}

type Handler = ReturnType<typeof fulcioHandler>;

const closed: Handler = { path: '', fn: async () => ({ statusCode: 503, response: '' }) };

async function serve(handler: Handler) {
  const host = await openHost((_, response, { body }) => {
    void handler.fn(body).then(({ statusCode, response: text, contentType }) => {
      response.writeHead(statusCode, { 'content-type': contentType ?? 'text/plain' }).end(text);
    });
  });
  return { url: `http://127.0.0.1:${host.port}`, close: host.close };
}

const proposal = record({
  kind: text,
  apiVersion: text,
  spec: record({
    proposedContent: maybe(record({ envelope: text, verifiers: list(text) })),
  }),
});
const envelope = record({ payload: text, signatures: list(record({ sig: text })) });

/** A log keeps hashes of an envelope and who signed it, not the envelope; the local one keeps what it is given. */
function asKept(body: string): string {
  const proposed = decode(proposal, JSON.parse(body));
  const content = proposed.ok ? proposed.value.spec.proposedContent : undefined;
  if (!proposed.ok || content === undefined) return body;
  const read = decode(envelope, JSON.parse(content.envelope));
  if (!read.ok) return body;
  const { kind, apiVersion } = proposed.value;
  const spec = {
    envelopeHash: sha256(Buffer.from(content.envelope)),
    payloadHash: sha256(Buffer.from(read.value.payload, 'base64')),
    signatures: read.value.signatures.map(({ sig }, index) => ({
      signature: sig,
      verifier: content.verifiers[index] ?? '',
    })),
  };
  return JSON.stringify({ kind, apiVersion, spec });
}

function sha256(bytes: Buffer): JsonObject {
  return { algorithm: 'sha256', value: createHash('sha256').update(bytes).digest('hex') };
}

function logIn(baseUrl: string, publicKey: Buffer, id: Buffer): JsonObject {
  return {
    baseUrl,
    hashAlgorithm: 'SHA2_256',
    publicKey: {
      rawBytes: base64(publicKey),
      keyDetails: 'PKIX_ECDSA_P256_SHA_256',
      validFor: { start: '2020-01-01T00:00:00Z' },
    },
    logId: { keyId: base64(id) },
  };
}

/** Nobody checks its signature: the authority of the test believes whoever comes. */
function tokenFor(claims: JsonObject): string {
  const part = (value: JsonObject) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.none`;
}

function bufferOf(view: ArrayBufferView): Buffer {
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength);
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64');
}

function jsonOf(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value));
}
