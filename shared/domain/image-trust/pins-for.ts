import type { TrustRules } from './rules.ts';
import type { Pin } from './tuf/trust.ts';

type Stated = { readonly pins: readonly (Pin & { readonly server: string })[] };

/**
 * The platform says whose roots count at its own Notary, and at any other that it names. One that it does not name is
 * the namespace's: whoever chooses it chooses its roots.
 */
export function pinsFor(url: string, owner: TrustRules['owner'], { pins }: Stated): readonly Pin[] {
  const asked = placeOf(url);
  return pins.filter(({ server }) =>
    server === '' ? owner === 'platform' : asked !== undefined && placeOf(server) === asked,
  );
}

export function isServer(text: string): boolean {
  return text === '' || placeOf(text) !== undefined;
}

/** However it is written: whoever spells a Notary in another way must not be rid of its pins. */
function placeOf(text: string): string | undefined {
  const url = URL.parse(text.trim());
  if (url === null || !['https:', 'http:'].includes(url.protocol)) return undefined;
  const host = url.host.replace(/\.(?=:|$)/, '');
  const path = decoded(url.pathname)
    .split('/')
    .filter((segment) => segment !== '');
  return JSON.stringify([host, ...path]);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
