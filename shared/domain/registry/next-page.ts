type Paged = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

export type NextPage =
  | { readonly kind: 'none' }
  | { readonly kind: 'page'; readonly path: string }
  | { readonly kind: 'elsewhere' };

/** Room for a URL that says at length where the list goes on. What is longer is not looked through. */
const longest = 4 * 1024;

const saysNext = /rel\s*=\s*"?next/i;

/** Below the repository: a server cannot lead our credentials elsewhere by its `Link`. */
export function nextPage({ url, headers }: Paged, repository: string): NextPage {
  const link = headers['link'];
  if (link === undefined) return { kind: 'none' };
  if (link.length > longest) return { kind: 'elsewhere' };
  const target = nextTarget(link);
  if (target === undefined && !saysNext.test(link)) return { kind: 'none' };
  const next = target ? URL.parse(target, url) : null;
  // A name of an image may have capitals in its host, and the port that a URL leaves out.
  const below = `${URL.parse(repository)?.href ?? repository}/`;
  if (!next?.href.startsWith(below)) return { kind: 'elsewhere' };
  return { kind: 'page', path: next.href.slice(below.length - 1) };
}

// Each letter has one place in these: where blanks could belong to either of two, many of them would take minutes.
const links = /<([^<>]*)>((?:[^<>"]|"[^"]*")*)/g;
const parameters = /;([^;="]*)=((?:[^;,"]|"[^"]*")*)/g;

function nextTarget(header: string): string | undefined {
  const [, target] = [...header.matchAll(links)].find(([, , rest = '']) => isNext(rest)) ?? [];
  return target;
}

/** What else is said of it may stand before; of two relations the first one counts (RFC 8288, 3.3). */
function isNext(rest: string): boolean {
  const stated = [...rest.matchAll(parameters)];
  const [, , relations = ''] =
    stated.find(([, name = '']) => name.trim().toLowerCase() === 'rel') ?? [];
  return relations.replaceAll('"', ' ').toLowerCase().split(/\s+/).includes('next');
}
