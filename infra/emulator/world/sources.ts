import { pathToFileURL } from 'node:url';
import type { Definition } from '#shared/define.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Partly } from '../testing/settings-fixed.ts';

/** A function, or where its file is: what is loaded anew keeps nothing in its module's memory. */
export type FunctionSource = Definition | URL | string;

let edition = 0;

/** `anew`: as a process that starts, which knows nothing of what the one before it kept in memory. */
export async function definitionsOf(
  sources: readonly FunctionSource[],
  { anew }: { readonly anew: boolean },
): Promise<readonly Definition[]> {
  if (anew) edition += 1;
  return Promise.all(sources.map((source) => loaded(source, anew ? edition : 0)));
}

async function loaded(source: FunctionSource, edition: number): Promise<Definition> {
  if (typeof source === 'object' && 'handler' in source) return source;
  const url = typeof source === 'string' ? pathToFileURL(source) : new URL(source);
  if (edition > 0) url.search = `edition=${edition}`;
  const { default: exported } = (await import(/* @vite-ignore */ url.href)) as {
    readonly default?: unknown;
  };
  if (isDefinition(exported)) return exported;
  throw new Error(
    `${url.pathname} exports no function: end it with "export default defineReconcile({ … })"`,
  );
}

/** That it is complete, the types say where it is written. */
function isDefinition(value: unknown): value is Definition {
  return typeof value === 'object' && value !== null && 'shape' in value && 'handler' in value;
}

/** A world's functions run, whatever the settings switch on, unless they say which. */
export function configured(
  config: Partly<Settings>,
  definitions: readonly Definition[],
): Partly<Settings> {
  const capabilities = [...new Set(definitions.map(({ capability }) => capability))];
  return { capabilities, ...config };
}
