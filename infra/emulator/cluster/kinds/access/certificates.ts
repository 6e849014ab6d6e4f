import { X509Certificate } from 'node:crypto';
import type { JsonObject } from '#shared/domain/json.ts';
import type { Subresource, Written } from '../../parts.ts';
import { type KindRules, sentMetadata } from '../kind-rules.ts';
import {
  all,
  ensured,
  itemsOf,
  metadataOf,
  partOf,
  put,
  specOf,
  statusOf,
  textOf,
  without,
} from '../words/edit.ts';
import { duplicate, invalid, notSupported, required, tooLong } from '../words/errors.ts';
import { checkedMetadataChange, immutable } from '../words/metadata.ts';
import {
  child,
  type Errors,
  isEmpty,
  isStated,
  items,
  none,
  number,
  type Place,
  root,
  text,
} from '../words/place.ts';
import { bundleName, checkedSignerName } from '../words/signer.ts';

export const trustBundle: KindRules = {
  defaults: ensured('spec'),
  // What it may be called depends on its signer: `checks` says.
  name: () => [],
  isClusterWide: true,
  checks: (at) => {
    const [name, signer] = [child(at, 'metadata', 'name'), child(at, 'spec', 'signerName')];
    return [
      ...bundleName(text(signer))(text(name)).map((complaint) => invalid(name, complaint)),
      ...(isEmpty(signer) ? none : checkedSignerName(signer)),
    ];
  },
  checksOfNew: (at) => checkedBundle(child(at, 'spec', 'trustBundle')),
  changes: (next, before) => {
    const bundle = child(next, 'spec', 'trustBundle');
    const was = specOf(before);
    return [
      ...(bundle.value === was['trustBundle'] ? none : checkedBundle(bundle)),
      ...immutable(child(next, 'spec', 'signerName'), was['signerName']),
    ];
  },
};

const mostBytes = 1024 * 1024;
const block = /-----BEGIN ([^-]+)-----([\s\S]*?)-----END \1-----/g;

/** Certificates of authorities, each once. */
function checkedBundle(at: Place): Errors {
  if (Buffer.byteLength(text(at)) > mostBytes) return [tooLong(at, mostBytes)];
  const blocks = [...text(at).matchAll(block)];
  const omitted = (why: string) => invalid(at, why, '<value omitted>');
  const errors = blocks.flatMap(([pem, type], index) => {
    const complaint = complaintOf(pem, type ?? '');
    return complaint === undefined ? none : [omitted(`entry ${index} ${complaint}`)];
  });
  if (errors.length > 0) return errors;
  if (blocks.length === 0) return [omitted('at least one trust anchor must be provided')];
  const bodies = blocks.map(([, , body = '']) => body.replace(/\s/g, ''));
  return [...new Set(bodies)]
    .map((body) => bodies.flatMap((each, index) => (each === body ? [index] : [])))
    .filter((indices) => indices.length > 1)
    .map((indices) => omitted(`duplicate trust anchor (indices [${indices.join(' ')}])`));
}

function complaintOf(pem: string, type: string): string | undefined {
  if (type !== 'CERTIFICATE') return `has bad block type: ${type}`;
  if (/^[\w-]+: /m.test(pem)) return 'has PEM block headers';
  try {
    return new X509Certificate(pem).ca ? undefined : 'does not have the CA bit set';
  } catch (cause: unknown) {
    if (cause instanceof Error) return 'does not parse as X.509';
    throw cause;
  }
}

const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
] as const;

/** Minimal: the request itself is not parsed, and nobody signs. */
export const signingRequest: KindRules = {
  defaults: all(ensured('spec'), ensured('status')),
  status: {},
  created: askedBy,
  kept: (next, before) => put(next, 'spec', specOf(before)),
  isClusterWide: true,
  checks: (at) => checkedRequest(child(at, 'spec')),
  subresources: { approval: approval() },
};

/** Who asks is what the server knows, not what the request says. */
function askedBy(whole: JsonObject, { user }: Written): JsonObject {
  const stated = without(specOf(whole), ['username', 'uid', 'groups', 'extra']);
  const named = {
    ...stated,
    username: user.name,
    ...(user.uid === undefined ? {} : { uid: user.uid }),
    ...(user.groups.length === 0 ? {} : { groups: user.groups }),
    ...(user.extra === undefined ? {} : { extra: user.extra }),
  };
  return put(whole, 'spec', named);
}

function checkedRequest(spec: Place): Errors {
  const [list, all] = [child(spec, 'usages'), items(spec, 'usages')];
  const seconds = child(spec, 'expirationSeconds');
  const short = 'may not specify a duration less than 600 seconds (10 minutes)';
  return [
    ...checkedPem(child(spec, 'request')),
    ...(all.length === 0 ? [required(list)] : none),
    ...all
      .filter((at) => !usages.some((usage) => usage === text(at)))
      .map((at) => notSupported(at, usages)),
    ...all
      .filter((at, index) => all.findIndex((each) => text(each) === text(at)) < index)
      .map(duplicate),
    ...checkedSignerName(child(spec, 'signerName')),
    ...(isStated(seconds) && number(seconds) < 600 ? [invalid(seconds, short)] : none),
  ];
}

/** What is inside is not looked at. */
function checkedPem(at: Place): Errors {
  const pem = Buffer.from(text(at), 'base64').toString();
  const isPem = pem.includes('-----BEGIN CERTIFICATE REQUEST-----');
  return isPem ? none : [invalid(at, 'PEM block type must be CERTIFICATE REQUEST')];
}

/** Takes the conditions alone. */
function approval(): Subresource {
  return {
    shape: 'part',
    taken: (next, before) => ({
      ...before,
      metadata: sentMetadata(next, before),
      status: put(statusOf(before), 'conditions', statusOf(next)['conditions']),
    }),
    checked(next, before) {
      const list = child(root(next), 'status', 'conditions');
      const types = itemsOf(partOf(next, 'status'), 'conditions').map((each) =>
        textOf(each, 'type'),
      );
      const isBoth = types.includes('Approved') && types.includes('Denied');
      const why = 'Approved and Denied conditions are mutually exclusive';
      return [
        ...checkedMetadataChange(child(root(next), 'metadata'), metadataOf(before)),
        ...(isBoth ? [invalid(list, why, types.at(-1))] : none),
      ];
    },
  };
}
