import { choice, decode, maybe, record, text } from '../decode.ts';
import { annotations, labels, manager } from '../installation.ts';
import { isJsonObject, type JsonObject, jsonIn } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import type { CertificateReader } from './certificate.ts';
import { bundleOf, fromBase64, toBase64 } from './pem.ts';
import { type Authority, type Leaf, type Phase, phases, type Stored } from './rotation.ts';
import type { Settling } from './settling.ts';

const keys = {
  ca: 'ca.crt',
  caKey: 'ca.key',
  next: 'next-ca.crt',
  nextKey: 'next-ca.key',
  /** Of the CA before, and only the certificate: nothing is signed with it any more. */
  old: 'old-ca.crt',
  leaf: 'tls.crt',
  leafKey: 'tls.key',
} as const;

/** What the Secret holds, PEM; empty where a key is missing. */
export type Contents = { readonly [K in keyof typeof keys]: string };

/** How far a rotation is, kept beside what it is about. */
export type Rotation = {
  readonly phase: Phase;
  /** Serial of the CA: with another one in the data, somebody replaced them by hand. */
  readonly ca: string;
  readonly since: Date;
  readonly settling?: Settling | undefined;
};

export const nothing: Contents = {
  ca: '',
  caKey: '',
  next: '',
  nextKey: '',
  old: '',
  leaf: '',
  leafKey: '',
};

export function contentsOf(secret: KubeObject | undefined): Contents {
  const data = isJsonObject(secret?.['data']) ? secret['data'] : {};
  const textAt = (key: string) => {
    const value = data[key];
    return typeof value === 'string' ? fromBase64(value) : '';
  };
  return {
    ca: textAt(keys.ca),
    caKey: textAt(keys.caKey),
    next: textAt(keys.next),
    nextKey: textAt(keys.nextKey),
    old: textAt(keys.old),
    leaf: textAt(keys.leaf),
    leafKey: textAt(keys.leafKey),
  };
}

/** Every CA that a leaf of this Secret was, is or will soon be signed by; through a rotation always the same text. */
export function authoritiesOf({ old, ca, next }: Contents): string {
  return bundleOf(old, ca, next);
}

export function isOurs(object: KubeObject): boolean {
  return object.metadata.labels?.[labels.managedBy] === manager;
}

/** How far the rotation of these very contents is; `undefined` where nobody of ours has said so. */
export function rotationOf(secret: KubeObject, reader: CertificateReader): Rotation | undefined {
  const rotation = rotationFrom(secret.metadata.annotations?.[annotations.rotation]);
  const serial = reader.read(contentsOf(secret).ca)?.serial;
  return rotation?.ca === serial ? rotation : undefined;
}

export function storedIn(secret: KubeObject | undefined, reader: CertificateReader): Stored {
  if (secret === undefined) return { kind: 'nothing' };
  if (!isOurs(secret)) return { kind: 'foreign' };

  const { ca, caKey, next, nextKey, leaf, leafKey } = contentsOf(secret);
  const rotation = rotationOf(secret, reader);
  const isServable =
    reader.isIssuedBy(leaf, ca) && reader.matches({ certificate: leaf, key: leafKey });
  return {
    kind: 'ours',
    ca: authorityFrom(reader, ca, caKey),
    next: authorityFrom(reader, next, nextKey),
    leaf: isServable ? leafFrom(reader, leaf) : undefined,
    phase: rotation?.phase ?? 'introducing',
    since: rotation?.since,
    settling: rotation?.settling,
  };
}

function authorityFrom(
  reader: CertificateReader,
  certificate: string,
  key: string,
): Authority | undefined {
  const facts = reader.read(certificate);
  return facts && { notAfter: facts.notAfter, canSign: reader.matches({ certificate, key }) };
}

function leafFrom(reader: CertificateReader, leaf: string): Leaf | undefined {
  return reader.read(leaf);
}

/** What others put into the Secret beside it is theirs, and stays. */
export function secretWith(
  before: KubeObject | undefined,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  { contents, rotation }: { readonly contents: Contents; readonly rotation: Rotation },
): KubeObject {
  const data: JsonObject = isJsonObject(before?.['data']) ? before['data'] : {};
  const ours = new Set<string>(Object.values(keys));
  const filled = Object.entries(contents).filter(([, pem]) => pem !== '');
  return {
    ...(before ?? { apiVersion: 'v1', kind: 'Secret', type: 'Opaque' }),
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      ...before?.metadata,
      name,
      namespace,
      labels: { ...before?.metadata.labels, [labels.managedBy]: manager },
      annotations: {
        ...before?.metadata.annotations,
        [annotations.rotation]: JSON.stringify(rotation),
      },
    },
    data: {
      ...Object.fromEntries(Object.entries(data).filter(([key]) => !ours.has(key))),
      ...Object.fromEntries(
        filled.map(([name, pem]) => [keys[name as keyof Contents], toBase64(pem)]),
      ),
    },
  };
}

const written = record({
  phase: choice(...phases),
  ca: text,
  since: text,
  settling: maybe(record({ since: text, version: text })),
});

function rotationFrom(annotation: string | undefined): Rotation | undefined {
  const result = decode(written, jsonIn(annotation ?? ''));
  if (!result.ok) return undefined;
  const { phase, ca, settling } = result.value;
  const since = new Date(result.value.since);
  if (Number.isNaN(since.getTime())) return undefined;
  return {
    phase,
    ca,
    since,
    settling: settling && { since: new Date(settling.since), version: settling.version },
  };
}
