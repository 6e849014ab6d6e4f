import { canonical, type ImageName, parseImage } from '../image.ts';
import { recurring } from '../recurring.ts';
import type { BootstrapDocument } from './document.ts';

export type RewriteRules = {
  /** By the first part of a name as it is written, as upstream has it. */
  readonly hosts: ReadonlyMap<string, string>;
  /** By a registry and path; the longest wins, over a host too. */
  readonly paths: ReadonlyMap<string, string>;
  /** The first parts of what rules lead to, in lower case: what is there is never led further. */
  readonly targets: ReadonlySet<string>;
  /** Whether `nginx` means `docker.io/library/nginx`. */
  readonly dockerHubNames: boolean;
};

type Stated = Pick<BootstrapDocument, 'overrides' | 'pathOverrides' | 'dockerHubNames'>;

export function rulesOf({ overrides, pathOverrides, dockerHubNames }: Stated): RewriteRules {
  const hosts = new Map(Object.entries(overrides).map(([from, to]) => [from, trimmed(to)]));
  const paths = new Map(
    Object.entries(pathOverrides).map(([from, to]) => [trimmed(from), trimmed(to)]),
  );
  const targets = new Set([...hosts.values(), ...paths.values()].map(firstPart));
  return { hosts, paths, targets, dockerHubNames };
}

/** Where the image is pulled from instead; `undefined` where no rule is for it. What comes out is never rewritten again. */
export function rewritten(original: string, rules: RewriteRules): string | undefined {
  if (rules.hosts.size + rules.paths.size === 0) return undefined;
  const parsed = parseImage(original);
  if (!parsed.ok || isAtTarget(parsed.image, rules)) return undefined;

  const found = ruleFor(parsed.image, rules);
  if (found === undefined) return undefined;

  const next = found.to + found.spelled.slice(found.from.length);
  // A name that has become too long, say, is worse than the one that is there; one that is not at its target would move on.
  const become = parseImage(next);
  return become.ok && isAtTarget(become.image, rules) ? next : undefined;
}

/** Whether some rule leads there: of an image that was rewritten it is so. */
export function isTarget(original: string, rules: RewriteRules): boolean {
  const parsed = parseImage(original);
  return parsed.ok && isAtTarget(parsed.image, rules);
}

export function rewriterOf(rules: RewriteRules): (original: string) => string | undefined {
  return recurring((original) => rewritten(original, rules));
}

/** The froms of rules that can do nothing. */
export function neverApplied({ hosts, paths, targets }: RewriteRules): readonly string[] {
  const isTarget = (from: string) => targets.has(firstPart(from));
  return [
    ...[...hosts].filter(([from, to]) => from !== to && (!isHost(from) || isTarget(from))),
    ...[...paths].filter(([from, to]) => from !== to && isTarget(from)),
  ].map(([from]) => from);
}

/** As it is written, too: a target such as `mirror` looks like a path on Docker Hub. */
function isAtTarget(image: ImageName, { targets }: RewriteRules): boolean {
  const written = firstPart(nameIn(image.original, image));
  return targets.has(image.registry.toLowerCase()) || targets.has(written);
}

/** In full first where that is switched on, then as it is written: a rule may be for `index.docker.io`. */
function spellingsOf(image: ImageName, { dockerHubNames }: RewriteRules): readonly string[] {
  const isInFull = dockerHubNames && image.registry === 'docker.io';
  return isInFull ? [canonical(image), image.original] : [image.original];
}

type Rule = { readonly from: string; readonly to: string };
type Found = Rule & { readonly spelled: string };

function ruleFor(image: ImageName, rules: RewriteRules): Found | undefined {
  const found = (find: (spelled: string) => Rule | undefined) =>
    spellingsOf(image, rules).flatMap((spelled): readonly Found[] => {
      const rule = find(spelled);
      return rule === undefined ? [] : [{ ...rule, spelled }];
    });
  const [path] = found((spelled) => ruleAbove(nameIn(spelled, image), rules.paths)).toSorted(
    (one, other) => depthOf(other) - depthOf(one),
  );
  return path ?? found((spelled) => ruleOf(hostIn(spelled), rules.hosts))[0];
}

/** Of two spellings, letters say nothing: `index.docker.io` is longer than `docker.io/x`. */
function depthOf({ from }: Rule): number {
  return from.split('/').length;
}

function hostIn(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf('/')));
}

/** The longest first. */
function ruleAbove(name: string, paths: RewriteRules['paths']): Rule | undefined {
  const to = paths.get(name);
  if (to !== undefined) return { from: name, to };
  const slash = name.lastIndexOf('/');
  return slash === -1 ? undefined : ruleAbove(name.slice(0, slash), paths);
}

function ruleOf(from: string, hosts: RewriteRules['hosts']): Rule | undefined {
  const to = isHost(from) ? hosts.get(from) : undefined;
  return to === undefined ? undefined : { from, to };
}

/** As upstream has it: `localhost` alone is none. */
function isHost(part: string): boolean {
  return /[.:]/.test(part) && !part.includes('/');
}

/** Without tag and digest. */
function nameIn(written: string, { tag, digest }: ImageName): string {
  const after = (mark: string | undefined) => (mark === undefined ? 0 : mark.length + 1);
  return written.slice(0, written.length - after(tag) - after(digest));
}

function trimmed(place: string): string {
  return place.replace(/\/+$/, '');
}

function firstPart(name: string): string {
  return (name.split('/', 1)[0] ?? '').toLowerCase();
}
