import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Json, JsonObject } from '#shared/domain/json.ts';
import type { Edit } from './edit.ts';

/** A kind that is asked for. */
export type Subject = {
  readonly resource: string;
  readonly at: string;
  readonly self: { readonly apiVersion: string; readonly kind: string };
  readonly weight: number;
  readonly cluster?: boolean;
  readonly custom?: boolean;
  /** Of the only object that there can be. */
  readonly name?: string;
  readonly subresources: readonly string[];
  readonly base: JsonObject;
  readonly edits: Readonly<Record<string, readonly Json[]>>;
};

function yamlIn(file: string): unknown {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  // Anchors are used often: the reader takes many for an attack.
  return parse(text, { maxAliasCount: -1, merge: true });
}

export const subjects = yamlIn('subjects.yaml') as readonly Subject[];
export const definitions = yamlIn('definitions.yaml') as readonly JsonObject[];

export function listPath({ at, cluster, resource }: Subject): string {
  return cluster === true ? `${at}/${resource}` : `${at}/namespaces/{ns}/${resource}`;
}

/** Each field with a value that it may be given. */
export function editsOf({ edits }: Subject): readonly Edit[] {
  return Object.entries(edits).flatMap(([path, values]) =>
    values.map((value) => ({ at: keysOf(path), value: value ?? undefined })),
  );
}

function keysOf(path: string): readonly string[] {
  return path.split('.');
}
