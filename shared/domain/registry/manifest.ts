import { parseBounded } from '../bounded-json.ts';
import {
  type Decoded,
  decode,
  dictionaryUpTo,
  integerFrom,
  listUpTo,
  optional,
  record,
  refine,
  text,
} from '../decode.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { isSha256Digest, type Sha256Digest } from './digest.ts';
import { bareMediaType, formOf } from './media-type.ts';

export type Descriptor = {
  readonly mediaType: string;
  readonly digest: Sha256Digest;
  readonly size: number;
  readonly artifactType: string | undefined;
  readonly annotations: Readonly<Record<string, string>>;
};

export type Platform = {
  readonly os: string;
  readonly architecture: string;
  readonly variant: string | undefined;
};

export type Manifest = {
  readonly mediaType: string;
  readonly artifactType: string | undefined;
  readonly annotations: Readonly<Record<string, string>>;
  /** The digest that this one refers to: a signature's image. */
  readonly subject: Sha256Digest | undefined;
} & (
  | { readonly kind: 'image'; readonly config: Descriptor; readonly layers: readonly Descriptor[] }
  | {
      readonly kind: 'index';
      readonly children: readonly (Descriptor & { readonly platform: Platform | undefined })[];
    }
);

/** The images of a list. */
export function childrenOf(manifest: Manifest): readonly Sha256Digest[] {
  return manifest.kind === 'index' ? manifest.children.map(({ digest }) => digest) : [];
}

export type DecodedManifest =
  | { readonly ok: true; readonly manifest: Manifest }
  | { readonly ok: false; readonly why: 'media-type' | 'malformed'; readonly about: string };

/** Layers, or children; annotations of one of them. */
export const mostParts = 1_000;
const annotations = optional(dictionaryUpTo(mostParts, text), {});
const descriptorShape = {
  mediaType: text,
  digest: text,
  size: integerFrom(0),
  artifactType: optional(text),
  annotations,
};
const descriptor = record(descriptorShape);
const platform = record({ os: text, architecture: text, variant: optional(text) });
const both = {
  mediaType: optional(text),
  artifactType: optional(text),
  annotations,
  subject: optional(record({ digest: text })),
};
const image = record({
  ...both,
  config: record({ ...descriptorShape, digest: refine(text, isSha256Digest, 'a sha256 digest') }),
  layers: listUpTo(mostParts, descriptor),
});
const index = record({
  ...both,
  manifests: listUpTo(mostParts, record({ ...descriptorShape, platform: optional(platform) })),
});

/** As registries themselves bound it. */
export const maxManifestBytes = 4 * 1024 * 1024;

/** Of a thousand parts each could have fifty marks; more of them keep a whole process busy for seconds. */
export const registryJson = {
  maxBytes: maxManifestBytes,
  maxDepth: 16,
  maxMarks: 50_000,
} as const;

/** `contentType` as the server said it: without one that we know, nothing is guessed. */
export function decodeManifest(
  bytes: Uint8Array,
  contentType: string | undefined,
): DecodedManifest {
  const mediaType = bareMediaType(contentType);
  const form = formOf(mediaType);
  if (form === undefined) return flawed('media-type', `it is sent as "${mediaType.slice(0, 100)}"`);

  const parsed = parseBounded(bytes, registryJson);
  if (parsed.kind === 'too-large') return flawed('malformed', 'it has too many parts');
  const input = parsed.kind === 'json' ? parsed.value : undefined;
  const why = whyAmbiguous(input, mediaType);
  if (why !== undefined) return flawed('malformed', why);
  return form === 'image' ? imageFrom(input, mediaType) : indexFrom(input, mediaType);
}

/** What one reader takes for an image and the other for an index (CVE-2021-41190), or reads otherwise than we do. */
function whyAmbiguous(input: Json | undefined, mediaType: string): string | undefined {
  if (!isJsonObject(input)) return 'it is no JSON object';
  const stated = input['mediaType'];
  if (stated !== undefined && stated !== mediaType)
    return 'it is sent as another type than it says';
  const misread = [input, ...partsOf(input)].map(whyMisread).find((why) => why !== undefined);
  if (misread !== undefined) return misread;
  // A registry may send the same bytes to a node as a type by which these layers are the ones that run.
  if ('fsLayers' in input) return "it is of Docker's schema 1 as well";
  const isBoth = 'manifests' in input && ('config' in input || 'layers' in input);
  return isBoth ? 'it is both an image and an index' : undefined;
}

/** All whose keys say something; those of annotations are anybody's. */
function partsOf(input: JsonObject): readonly JsonObject[] {
  const stated = ['config', 'subject', 'layers', 'manifests'].flatMap((key) => input[key] ?? []);
  const parts = stated.filter(isJsonObject);
  return [...parts, ...parts.map((part) => part['platform']).filter(isJsonObject)];
}

/**
 * Go, in which nodes read it, takes `Digest` for `digest`, and whichever comes last: a configuration that we look at
 * would be another one than the one that runs.
 */
function whyMisread(part: JsonObject): string | undefined {
  const keys = Object.keys(part);
  if (new Set(keys.map(asGoFolds)).size < keys.length) return 'it says a thing twice';
  const strange = keys.find((key) => (telling.get(asGoFolds(key)) ?? key) !== key);
  return strange === undefined ? undefined : `it spells ${strange.slice(0, 100)} in its own way`;
}

/** By Unicode: the long s is an s, the sign of kelvin a k. */
function asGoFolds(key: string): string {
  return key.toLowerCase().toUpperCase();
}

const telling = new Map(
  [
    ...['schemaVersion', 'mediaType', 'config', 'layers', 'manifests', 'subject', 'artifactType'],
    ...[
      'annotations',
      'digest',
      'size',
      'urls',
      'data',
      'platform',
      'os',
      'architecture',
      'variant',
    ],
    'fsLayers',
  ].map((key) => [asGoFolds(key), key]),
);

function imageFrom(input: unknown, mediaType: string): DecodedManifest {
  const read = decode(image, input);
  if (!read.ok) return flawed('malformed', problemOf(read.problems));
  const [config, ...layers] = [read.value.config, ...read.value.layers].flatMap(described);
  if (config === undefined) return flawed('malformed', 'its configuration has no sha256 digest');
  return {
    ok: true,
    manifest: { kind: 'image', ...common(read.value, mediaType), config, layers },
  };
}

function indexFrom(input: unknown, mediaType: string): DecodedManifest {
  const read = decode(index, input);
  if (!read.ok) return flawed('malformed', problemOf(read.problems));
  const children = read.value.manifests.flatMap((child) =>
    described(child).map((each) => ({ ...each, platform: platformOf(child.platform) })),
  );
  return { ok: true, manifest: { kind: 'index', ...common(read.value, mediaType), children } };
}

type Common = Pick<Decoded<typeof image>, 'artifactType' | 'annotations' | 'subject'>;

function common({ artifactType, annotations, subject }: Common, mediaType: string) {
  const digest = subject?.digest ?? '';
  return {
    mediaType,
    artifactType,
    annotations,
    subject: isSha256Digest(digest) ? digest : undefined,
  };
}

/** What is named by another algorithm cannot be checked, so it is not there. */
function described(stated: Decoded<typeof descriptor>): readonly Descriptor[] {
  const { mediaType, digest, size, artifactType, annotations } = stated;
  return isSha256Digest(digest) ? [{ mediaType, digest, size, artifactType, annotations }] : [];
}

function platformOf(stated: Decoded<typeof platform> | undefined): Platform | undefined {
  if (stated === undefined) return undefined;
  return { os: stated.os, architecture: stated.architecture, variant: stated.variant };
}

function problemOf([first]: readonly {
  readonly path: string;
  readonly expected: string;
}[]): string {
  return `${first?.path ?? '$'}: expected ${first?.expected ?? 'something else'}`;
}

function flawed(why: 'media-type' | 'malformed', about: string): DecodedManifest {
  return { ok: false, why, about };
}
