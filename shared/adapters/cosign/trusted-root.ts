import { readFile } from 'node:fs/promises';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { type TrustMaterial, toTrustMaterial } from '@sigstore/verify';
import publicRoot from './public-trusted-root.json' with { type: 'json' };

export type RootOf = (path: string) => Promise<TrustMaterial | undefined>;

/** Without a path what this version brings with it. */
export async function readRootText(path: string): Promise<string> {
  return path === '' ? builtInText : readFile(path, 'utf8');
}

const builtInText = JSON.stringify(publicRoot);

/**
 * A text is asked for each time, since a mounted file may change, and taken apart when it has changed. Nothing where
 * it cannot be read: that is the operator's matter, no server's.
 */
export function keptRoots(readText: (path: string) => Promise<string>): RootOf {
  const kept = new Map<string, { readonly text: string; readonly material: TrustMaterial }>();
  return async (path) => {
    try {
      if (path === '') return builtIn();
      const text = await readText(path);
      const known = kept.get(path);
      if (known?.text === text) return known.material;
      const material = materialOf(JSON.parse(text));
      kept.set(path, { text, material });
      return material;
    } catch {
      return undefined;
    }
  };
}

const made: { material?: TrustMaterial } = {};

/** Of the public instance, from its repository sigstore/root-signing at 60cf2ce8b2e4 (2026-08-21). */
export function builtIn(): TrustMaterial {
  made.material ??= materialOf(publicRoot);
  return made.material;
}

/** One that names nobody would prove nothing, and one without log or clock would let an expired certificate sign. */
function materialOf(stated: unknown): TrustMaterial {
  const material = toTrustMaterial(TrustedRoot.fromJSON(stated));
  const { certificateAuthorities, tlogs, timestampAuthorities } = material;
  if (certificateAuthorities.length === 0 || tlogs.length + timestampAuthorities.length === 0) {
    throw new Error('it is no trusted root');
  }
  return material;
}
