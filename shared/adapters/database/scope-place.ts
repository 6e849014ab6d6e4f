import { kindOfScope } from './scope-kind.ts';

/** What a scope's name says of the places that it follows; `undefined` for all of them. */
export type ScopePlace = {
  readonly namespace: string | undefined;
  readonly name: string | undefined;
};

/**
 * Two names of the same object in different loops would give its row two writers. Labels do not keep scopes apart: they
 * change. As `followedFrom` joins scopes, so that of one configuration no two overlap.
 */
export function isOverlapping(one: string, other: string): boolean {
  const [kind, otherKind] = [kindOfScope(one), kindOfScope(other)];
  if (kind.group !== otherKind.group || kind.resource !== otherKind.resource) return false;
  const [place, otherPlace] = [placeOfScope(one), placeOfScope(other)];
  return !differ(place.namespace, otherPlace.namespace) && !differ(place.name, otherPlace.name);
}

/** Of `secrets/team-a?metadata.name=ca&metadata`, `team-a` and `ca`. */
export function placeOfScope(scope: string): ScopePlace {
  const { place, narrowed } =
    /^[^/?]+(?:\/(?<place>[^?]*))?(?:\?(?<narrowed>.*))?$/s.exec(scope)?.groups ?? {};
  const name = /(?:^|&)metadata\.name=([^,]*?)(?:&metadata)?$/.exec(narrowed ?? '')?.[1];
  return { namespace: place, name };
}

export function isWithinPlace(
  at: { readonly namespace: string; readonly name: string },
  { namespace, name }: ScopePlace,
): boolean {
  return !differ(namespace, at.namespace) && !differ(name, at.name);
}

function differ(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}
