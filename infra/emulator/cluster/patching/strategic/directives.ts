import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import { type Fault, malformed } from './fault.ts';

export const marker = '$patch';
const retainKeys = '$retainKeys';
export const deletion = '$deleteFromPrimitiveList';
export const elementOrder = '$setElementOrder';

/** `field` of `$deleteFromPrimitiveList/field`. */
export function fieldOf(key: string, directive: string): string | undefined {
  return key.startsWith(`${directive}/`) ? key.slice(directive.length + 1) : undefined;
}

/** What the patch adds as a whole must not carry the marks that say how to merge. */
export function unmarked(value: Json): Json | undefined {
  if (isList(value)) {
    return value.flatMap((item): readonly Json[] => {
      const clean = unmarked(item);
      return clean === undefined ? [] : [clean];
    });
  }
  if (!isJsonObject(value)) return value;
  if (value[marker] !== undefined) return undefined;
  const clean: { [key: string]: Json } = {};
  for (const [key, inner] of Object.entries(value)) {
    const kept = unmarked(inner);
    if (kept !== undefined) clean[key] = kept;
  }
  return clean;
}

export type Pair = { readonly original: JsonObject; readonly patch: JsonObject };

/** `$retainKeys` names all fields that may stay; a patch that states another one contradicts itself. */
export function retaining({ original, patch }: Pair): Pair | Fault {
  const { [retainKeys]: sent, ...rest } = patch;
  if (sent === undefined) return { original, patch };
  if (!isList(sent)) return malformed('retainKeys');
  const isRetained = (key: string) => sent.includes(key);
  const stated = Object.entries(rest)
    .filter(([key, value]) => value !== null && !isParallel(key))
    .map(([key]) => key);
  if (!stated.every(isRetained)) return malformed('retainKeys');
  const kept = Object.entries(original).filter(([key]) => isRetained(key));
  return { original: Object.fromEntries(kept), patch: rest };
}

function isParallel(key: string): boolean {
  return key.startsWith(deletion) || key.startsWith(elementOrder);
}
