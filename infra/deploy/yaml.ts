import { Document, type Scalar, visit } from 'yaml';
import type { Json } from '#shared/domain/json.ts';
import { plainYaml } from './plain-yaml.ts';

/** Keys sorted, as kustomize prints them too; no anchors, no folding. */
export function yamlOf(value: Json): string {
  return plainYaml(value) ?? yamlByKeys(value);
}

/** The same by the library alone. */
export function yamlByKeys(value: Json): string {
  return written(value, true);
}

/** Keys as they come. */
export function yamlInOrder(value: Json): string {
  return written(value, false);
}

function written(value: Json, sortMapEntries: boolean): string {
  // kubectl reads YAML 1.1, where a plain `yes`, `off` or `1:30` is no text: version 1.1 quotes them.
  const document = new Document(value, {
    version: '1.1',
    sortMapEntries,
    aliasDuplicateObjects: false,
  });
  visit(document, { Scalar: (_, scalar) => quoteOctal(scalar) });
  return document.toString({ lineWidth: 0 });
}

/** A number in version 1.2 only, which others read. */
function quoteOctal(scalar: Scalar): void {
  const { value } = scalar;
  if (typeof value === 'string' && /^[-+]?0o[0-7]+$/.test(value)) scalar.type = 'QUOTE_DOUBLE';
}
