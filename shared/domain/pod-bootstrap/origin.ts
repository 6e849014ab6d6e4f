import { canonical, parseImage } from '../image.ts';
import { type RewriteRules, rewritten } from './rewrite.ts';

/** The signed name of an image: under which name its signature is to be looked for. */
export type Origin =
  /** No rule leads there. */
  | { readonly kind: 'itself' }
  | { readonly kind: 'mapped'; readonly image: string }
  /** Several names are rewritten to this one, so that nobody can say which was meant. */
  | { readonly kind: 'ambiguous'; readonly images: readonly [string, string, ...string[]] };

/** Back through the rules, and only through them: a mirror's name that was written by hand is judged as what it mirrors. */
export function originOf(image: string, rules: RewriteRules): Origin {
  if (!parseImage(image).ok) return { kind: 'itself' };

  const name = lowerHost(image);
  const found = [...rules.paths, ...rules.hosts]
    .filter(([, to]) => name.startsWith(lowerHost(to)))
    .map(([from, to]) => from + name.slice(to.length))
    // What a rule does not lead there is no origin: `mirror/hubble` is no image of `mirror/hub`.
    .filter((origin) => isSame(rewritten(origin, rules), name));
  // `docker.io` and `index.docker.io` are one registry.
  const byName = new Map(found.map((origin) => [inFull(origin), origin]));
  const [first, second, ...rest] = byName.values();
  if (first === undefined) return { kind: 'itself' };
  if (second === undefined) return { kind: 'mapped', image: first };
  return { kind: 'ambiguous', images: [first, second, ...rest] };
}

/** Whoever pulls asks the same host, whatever the letters' case. */
function lowerHost(name: string): string {
  const slash = name.indexOf('/');
  const end = slash === -1 ? name.length : slash;
  return name.slice(0, end).toLowerCase() + name.slice(end);
}

function isSame(rewrittenName: string | undefined, name: string): boolean {
  return rewrittenName !== undefined && lowerHost(rewrittenName) === name;
}

function inFull(name: string): string {
  const parsed = parseImage(name);
  return parsed.ok ? canonical(parsed.image) : name;
}
