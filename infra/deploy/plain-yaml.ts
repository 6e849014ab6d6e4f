import { isJsonObject, type Json } from '#shared/domain/json.ts';

/**
 * Maps of words and numbers, as the library writes them. To load it for these is a thirtieth of the emulator's start; what
 * is not known for certain is left to it.
 */
export function plainYaml(value: Json, indent = ''): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = entries.map(([key, each]) => line(key, each, indent));
  return lines.length === 0 || lines.includes(undefined) ? undefined : lines.join('');
}

function line(key: string, value: Json, indent: string): string | undefined {
  if (!word.test(key) || isNoText.test(key)) return undefined;
  if (isJsonObject(value)) {
    const below = plainYaml(value, `${indent}  `);
    return below && `${indent}${key}:\n${below}`;
  }
  return isPlain(value) ? `${indent}${key}: ${value}\n` : undefined;
}

const word = /^[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*$/;
/** Of YAML 1.1, which takes even `e0` for a number. */
const isNoText = /^(y|n|yes|no|on|off|true|false|null|e-?\d+)$/i;
const duration = /^\d+(ms|s|m|h)$/;
const address = /^\d{1,3}(\.\d{1,3}){3}$/;

function isPlain(value: Json): value is string | number | boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0);
  if (typeof value !== 'string') return typeof value === 'boolean';
  const isWord = word.test(value) && !isNoText.test(value);
  return isWord || duration.test(value) || address.test(value);
}
