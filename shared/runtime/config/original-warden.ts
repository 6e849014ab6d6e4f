import { dirname, resolve } from 'node:path';
import type { Problem } from '#shared/domain/decode.ts';
import { withOriginalFile } from '#shared/domain/image-trust/original-file.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { type ConfigProblem, freeze, type Loaded, unreadable } from './load.ts';
import { plainJson } from './plain-json.ts';
import { plainYaml } from './plain-yaml.ts';
import { parseYaml } from './yaml.ts';

export type Text = { readonly text: string } | { readonly why: string };

/** Where `imageTrust.file` leads, seen from the file that names it. */
export function originalPath(file: string, { imageTrust }: Settings): string | undefined {
  return imageTrust.file === '' ? undefined : resolve(dirname(file), imageTrust.file);
}

/** A configuration with what a file of Warden's says, which is read as it is. */
export function withOriginal(settings: Settings, file: string, read: Text): Loaded {
  if ('why' in read) return unreadable(file, { expected: 'a readable file', found: read.why });
  const parsed = parsedFrom(read.text);
  if (parsed === undefined) return unreadable(file, { expected: 'YAML', found: 'something else' });

  const merged = withOriginalFile(settings.imageTrust, parsed.value ?? {});
  if (merged.ok) {
    const unknown = merged.unknown.map((key) => `${key}: unknown, and not used`);
    const { unused } = merged;
    const own = unused.length === 0 ? [] : [`${unused.join(', ')}: Warden's own, and not used`];
    const warnings = [...unknown, ...own, ...unheeded(merged.logging, settings.log)];
    return {
      ok: true,
      settings: freeze({ ...settings, imageTrust: merged.settings }),
      warnings: warnings.map((each) => `${file}: ${each}`),
    };
  }
  const [first, ...rest] = merged.problems;
  const say = (problem: Problem) => misfit(file, problem);
  return { ok: false, problems: [say(first), ...rest.map(say)] };
}

/** Where we log otherwise than the file says. */
function unheeded({ level, format }: JsonObject, log: Settings['log']): readonly string[] {
  const isOther = level !== undefined && level !== log.level;
  return [
    ...(isOther ? [`logging.level: not used; log.level decides, which is ${log.level}`] : []),
    ...(format === 'text' ? ['logging.format: not used; what is logged is JSON'] : []),
  ];
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
