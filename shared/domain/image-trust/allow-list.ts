import { type ImageName, parseImage } from '../image.ts';

/** What an entry stands for: a registry, all below a path, or one image. */
export type Place = Partial<Pick<ImageName, 'repository' | 'tag' | 'digest'>> & {
  readonly registry: string;
};

export type ReadEntry =
  | { readonly ok: true; readonly place: Place }
  /** For whoever wrote it. */
  | { readonly ok: false; readonly why: string };

/** `eu.example.io`, `eu.example.io/kyma`, `nginx`, `docker.io/library/nginx:1.27`; with a slash behind it, only what is below. */
export function readEntry(entry: string): ReadEntry {
  const stated = entry.replace(/\/+$/, '');
  if (isHost(stated)) return { ok: true, place: { registry: inOneCase(stated) } };
  // `docker.io/bitnami` is the name of an official image, and `docker.io/bitnami/` is somebody's path.
  return entry.endsWith('/') || allOfficial.test(stated) ? readPath(stated) : readImage(stated);
}

const allOfficial = /^(?:index\.)?docker\.io\/library$/;

function readPath(stated: string): ReadEntry {
  const parsed = parseImage(`${stated}/any`);
  if (!parsed.ok) return readImage(stated);
  const { registry, repository } = parsed.image;
  const path = repository.slice(0, -'/any'.length);
  return { ok: true, place: { registry: inOneCase(registry), repository: path } };
}

function readImage(stated: string): ReadEntry {
  const parsed = parseImage(stated);
  if (!parsed.ok) return parsed;
  const { registry, repository, tag, digest } = parsed.image;
  return { ok: true, place: { registry: inOneCase(registry), repository, tag, digest } };
}

/** The first entry that allows it. What cannot be read, entry or image, allows nothing. */
export function allowedBy(image: string, entries: readonly string[]): string | undefined {
  if (entries.length === 0) return undefined;
  const parsed = parseImage(image);
  return parsed.ok ? firstOf(placesOf(parsed.image), lookupFor(entries))?.entry : undefined;
}

type Known = { readonly entry: string; readonly at: number };
type Lookup = ReadonlyMap<string, Known>;

const lookups = new WeakMap<readonly string[], Lookup>();

/** Made once for a list: a namespace may have a thousand entries, and a pod hundreds of images. */
function lookupFor(entries: readonly string[]): Lookup {
  const known = lookups.get(entries);
  if (known !== undefined) return known;
  const places = entries.flatMap((entry, at) => {
    const read = readEntry(entry);
    return read.ok ? [[placeKey(read.place), { entry, at }] as const] : [];
  });
  // The first of those that stand for the same stays.
  const made = new Map(places.toReversed());
  lookups.set(entries, made);
  return made;
}

function placeKey({ registry, repository, tag, digest }: Place): string {
  if (repository === undefined) return registry;
  const path = `${registry}/${repository}`;
  if (digest !== undefined) return `${path}@${digest}`;
  return tag === undefined ? path : `${path}:${tag}`;
}

/** All that an entry could stand for, to allow it: as `isWithin` has it. */
function placesOf(image: ImageName): readonly string[] {
  const { repository, tag = 'latest', digest } = image;
  const registry = inOneCase(image.registry);
  const segments = repository.split('/');
  const paths = segments.map((_, at) => segments.slice(0, at + 1).join('/'));
  const exact = digest === undefined ? { repository, tag } : { repository, digest };
  const places = [{}, ...paths.map((path) => ({ repository: path })), exact];
  return places.map((place) => placeKey({ registry, ...place }));
}

function firstOf(keys: readonly string[], lookup: Lookup): Known | undefined {
  const known = keys.flatMap((key) => lookup.get(key) ?? []);
  return known.toSorted((one, other) => one.at - other.at)[0];
}

/** At a segment's border: `eu.example.io/kyma` does not allow `eu.example.io/kyma-evil`. */
export function isWithin(image: ImageName, { registry, repository, tag, digest }: Place): boolean {
  if (inOneCase(image.registry) !== registry) return false;
  if (repository === undefined) return true;
  if (tag === undefined && digest === undefined) {
    return image.repository === repository || image.repository.startsWith(`${repository}/`);
  }
  if (image.repository !== repository) return false;
  if (digest !== undefined) return image.digest === digest;
  // A digest beside the tag decides what runs, and of that the entry says nothing.
  return image.digest === undefined && (image.tag ?? 'latest') === tag;
}

/** Without a slash, `nginx` and `nginx:1` are images; a registry's name has a dot, as in image names. */
function isHost(entry: string): boolean {
  return /^(?:localhost|[^/:@]+\.[^/:@]+|\[[0-9a-fA-F:]+\])(?::\d+)?$/.test(entry);
}

function inOneCase(registry: string): string {
  const lower = registry.toLowerCase();
  return lower === 'index.docker.io' ? 'docker.io' : lower;
}
