/** The name of an image as the container runtimes read it (the grammar of `distribution/reference`). */
export type ImageName = {
  /** As it stood in the manifest. */
  readonly original: string;
  /** `docker.io`, `registry.example:5000`, `[2001:db8::1]:5000`; letters in the case in which they were written. */
  readonly registry: string;
  /** `library/nginx` */
  readonly repository: string;
  readonly tag: string | undefined;
  /** `sha256:…` */
  readonly digest: string | undefined;
};

export type ParsedImage =
  | { readonly ok: true; readonly image: ImageName }
  /** For the cluster's user. */
  | { readonly ok: false; readonly why: string };

const dockerHub = 'docker.io';
const officialPrefix = 'library/';

/** No name of a host is longer than 253, and a port has five digits: whatever is kept by a reference is as short. */
const longestRegistry = 260;

const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const host = new RegExp(`^(?:${label}(?:\\.${label})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]{1,5})?$`);
const component = '[a-z0-9]+(?:(?:__|[._]|-+)[a-z0-9]+)*';
const rest = new RegExp(
  `^(?<repository>${component}(?:/${component})*)(?::(?<tag>\\w[\\w.-]{0,127}))?(?:@(?<digest>[^@]+))?$`,
);
const digestForm =
  /^(?<algorithm>[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*):(?<hex>[0-9a-fA-F]{32,})$/;
const hexLengths: ReadonlyMap<string, number> = new Map([
  ['sha256', 64],
  ['sha384', 96],
  ['sha512', 128],
]);

export function parseImage(original: string): ParsedImage {
  if (original === '') return refused(original, 'it is empty');
  // A runtime would take it for the id of an image that it has already.
  if (isIdentifier(original)) return refused(original, 'it is the id of an image, not its name');

  const [registry, remainder] = splitRegistry(original);
  const groups = rest.exec(remainder)?.groups;
  if (groups === undefined) return refused(original, whyNoRest(remainder));
  // `distribution` reads `under_score.example/app` as a name without a registry, which nobody can pull.
  if (!host.test(registry)) return refused(original, `"${cut(registry)}" is no registry`);
  if (registry.length > longestRegistry) {
    return refused(original, `its registry is longer than ${longestRegistry}`);
  }

  const { repository = '', tag, digest } = groups;
  if (repository.length > 255) return refused(original, 'its repository is longer than 255');
  const flaw = digest === undefined ? undefined : flawOfDigest(digest);
  if (flaw !== undefined) return refused(original, flaw);
  return { ok: true, image: { original, registry, repository, tag, digest } };
}

/** In full, as registries are asked for it. */
export function canonical({
  registry,
  repository,
  tag,
  digest,
}: Omit<ImageName, 'original'>): string {
  return `${registry}/${repository}${suffix(tag, digest)}`;
}

/** As people write it; what would then be read as another image stays in full. */
export function familiar(image: Omit<ImageName, 'original'>): string {
  const { registry, repository, tag, digest } = image;
  if (registry !== dockerHub) return canonical(image);

  const official = repository.slice(officialPrefix.length);
  const isOfficial = repository.startsWith(officialPrefix) && !official.includes('/');
  const text = `${isOfficial ? official : repository}${suffix(tag, digest)}`;
  const [registryRead, remainder] = splitRegistry(text);
  const isSame = `${registryRead}/${remainder}` === canonical(image) && !isIdentifier(text);
  return isSame ? text : canonical(image);
}

function suffix(tag: string | undefined, digest: string | undefined): string {
  return `${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
}

/** Some of its first digits are enough, where the algorithm stands before them. */
function isIdentifier(text: string): boolean {
  return /^(?:[a-f0-9]{64}|sha(?:256|384|512):[a-f0-9]+)$/.test(text);
}

/** What precedes the first slash is a registry if it looks like a host; else the image is Docker Hub's. */
function splitRegistry(text: string): readonly [string, string] {
  const slash = text.indexOf('/');
  if (slash === -1) return [dockerHub, officialPrefix + text];

  const first = text.slice(0, slash);
  if (!looksLikeHost(first)) return [dockerHub, text];
  const remainder = text.slice(slash + 1);
  if (first !== dockerHub && first !== 'index.docker.io') return [first, remainder];
  return [dockerHub, remainder.includes('/') ? remainder : officialPrefix + remainder];
}

/** No repository has uppercase letters, so a name that has is a host. */
function looksLikeHost(first: string): boolean {
  return first === 'localhost' || /[.:]/.test(first) || first !== first.toLowerCase();
}

function whyNoRest(remainder: string): string {
  const [repository = ''] = remainder.split(/[:@]/);
  return repository === repository.toLowerCase()
    ? 'it does not have the form [registry/]repository[:tag][@digest]'
    : 'its repository must be lowercase';
}

function flawOfDigest(digest: string): string | undefined {
  const { algorithm = '', hex = '' } = digestForm.exec(digest)?.groups ?? {};
  if (algorithm === '') return 'its digest does not have the form algorithm:hex';

  const length = hexLengths.get(algorithm);
  if (length === undefined) return `its digest is made by ${algorithm}, which is not supported`;
  if (hex.length !== length) return `its digest has ${hex.length} digits, not ${length}`;
  return hex === hex.toLowerCase() ? undefined : 'its digest must be lowercase';
}

function refused(original: string, why: string): ParsedImage {
  return { ok: false, why: `${JSON.stringify(cut(original))} is no name of an image: ${why}` };
}

/** The text is somebody's. */
function cut(text: string): string {
  return text.slice(0, 300);
}
