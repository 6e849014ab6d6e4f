import { dirname, resolve } from 'node:path';
import type { Problem } from '#shared/domain/decode.ts';
import { type WithOriginal, withOriginalFile } from '#shared/domain/image-trust/original-file.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { type ConfigProblem, freeze, type Loaded, unreadable } from './load.ts';
import { heardFrom } from './original-logging.ts';
import { plainJson } from './plain-json.ts';
import { plainYaml } from './plain-yaml.ts';
import { parseYaml } from './yaml.ts';

export type Text = { readonly text: string } | { readonly why: string };

/** Where `imageTrust.file` leads, seen from the file that names it. */
export function originalPath(file: string, { imageTrust }: Settings): string | undefined {
  return imageTrust.file === '' ? undefined : resolve(dirname(file), imageTrust.file);
}

type Good = Extract<Loaded, { readonly ok: true }>;

/** A configuration with what a file of Warden's says, which is read as it is. */
export function withOriginal(own: Good, file: string, read: Text): Loaded {
  if ('why' in read) return unreadable(file, { expected: 'a readable file', found: read.why });
  const parsed = parsedFrom(read.text);
  if (parsed === undefined) return unreadable(file, { expected: 'YAML', found: 'something else' });

  const merged = withOriginalFile(own.settings.imageTrust, parsed.value ?? {});
  if (merged.ok) return joined(own, file, merged);
  const [first, ...rest] = merged.problems;
  const say = (problem: Problem) => misfit(file, problem);
  return { ok: false, problems: [say(first), ...rest.map(say)] };
}

type Merged = Extract<WithOriginal, { readonly ok: true }>;

function joined(
  { settings, warnings = [], isLevelStated = false }: Good,
  file: string,
  merged: Merged,
): Loaded {
  const imageTrust = merged.settings;
  const { log } = settings;
  const heard = heardFrom(imageTrust.logging, merged.logging, { ...log, isStated: isLevelStated });
  const said = [...unusedIn(merged), ...heard.warnings];
  return {
    ok: true,
    settings: freeze({ ...settings, log: { ...log, level: heard.level }, imageTrust }),
    warnings: [...warnings, ...said.map((each) => `${file}: ${each}`)],
  };
}

function unusedIn({ unknown, unused }: Merged): readonly string[] {
  const own = unused.length === 0 ? [] : [`${unused.join(', ')}: Warden's own, and not used`];
  return [...unknown.map((key) => `${key}: unknown, and not used`), ...own];
}

function parsedFrom(text: string): { readonly value: unknown } | undefined {
  const plain = plainJson(text) ?? plainYaml(text);
  if (plain !== undefined) return { value: plain };
  const parsed = parseYaml(text);
  return parsed.ok ? { value: parsed.value } : undefined;
}

function misfit(file: string, { path, expected, found = 'nothing' }: Problem): ConfigProblem {
  return { file, path: path.replace(/^\$\.?/, ''), expected, found };
}
