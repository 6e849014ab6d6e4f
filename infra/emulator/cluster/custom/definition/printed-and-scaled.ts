import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { FieldError } from '../../parts.ts';
import { textAt } from '../definition.ts';
import { invalid, required } from '../valid/found.ts';

const types = ['boolean', 'date', 'integer', 'number', 'string'];
const formats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

export function columnErrors(column: JsonObject, path: string): readonly FieldError[] {
  const [type, format, jsonPath] = ['type', 'format', 'jsonPath'].map((key) => textAt(column, key));
  const mustBe = `must be one of ${types.join(',')}`;
  return [
    ...(textAt(column, 'name') === '' ? [required(`${path}.name`)] : []),
    ...(type === undefined || type === '' ? [required(`${path}.type`, mustBe)] : []),
    ...(type !== undefined && type !== '' && !types.includes(type)
      ? [invalid(`${path}.type`, type, mustBe)]
      : []),
    ...(format !== undefined && format !== '' && !formats.includes(format)
      ? [invalid(`${path}.format`, format, `must be one of ${formats.join(',')}`)]
      : []),
    ...pathErrors(jsonPath ?? '', `${path}.JSONPath`),
  ];
}

function pathErrors(value: string, path: string): readonly FieldError[] {
  if (value === '') return [required(path)];
  return value.startsWith('.')
    ? []
    : [invalid(path, value, 'must be a simple json path starting with .')];
}

export function subresourceErrors({ scale }: JsonObject, path: string): readonly FieldError[] {
  if (!isJsonObject(scale)) return [];
  const selector = textAt(scale, 'labelSelectorPath');
  return [
    ...scalePathErrors(
      textAt(scale, 'specReplicasPath'),
      ['.spec.'],
      `${path}.scale.specReplicasPath`,
    ),
    ...scalePathErrors(
      textAt(scale, 'statusReplicasPath'),
      ['.status.'],
      `${path}.scale.statusReplicasPath`,
    ),
    ...(selector === ''
      ? []
      : scalePathErrors(selector, ['.spec.', '.status.'], `${path}.scale.labelSelectorPath`)),
  ];
}

function scalePathErrors(
  value: string,
  roots: readonly string[],
  path: string,
): readonly FieldError[] {
  const errors = pathErrors(value, path);
  if (errors.length > 0 || roots.some((root) => value.startsWith(root))) return errors;
  const [one, other] = roots.map((root) => root.slice(0, -1));
  const under = other === undefined ? one : `either ${one} or ${other}`;
  return [invalid(path, value, `should be a json path under ${under}`)];
}
