import type { FieldError, Schema } from '../../parts.ts';
import { forbidden, invalid } from '../valid/found.ts';
import { isTrueAt, propertyOf } from '../valid/keyword.ts';

/** Type and metadata are the server's; a schema may only restrict the names. */
export function metadataErrors(
  schema: Schema,
  isRoot: boolean,
  path: string,
): readonly FieldError[] {
  const isResource = isRoot || isTrueAt(schema, 'x-kubernetes-embedded-resource');
  const texts = ['kind', 'apiVersion'].flatMap((key) => {
    const type = isResource ? (propertyOf(schema, key)?.type ?? '') : 'string';
    const isOther = propertyOf(schema, key) !== undefined && type !== 'string';
    return isOther ? [invalid(`${path}.properties[${key}].type`, type, 'must be string')] : [];
  });
  const metadata = propertyOf(schema, 'metadata');
  if (metadata === undefined || !isResource) return texts;
  return [...texts, ...metaErrors(metadata, isRoot, `${path}.properties[metadata]`)];
}

function metaErrors(metadata: Schema, isRoot: boolean, path: string): readonly FieldError[] {
  const type =
    metadata.type === 'object'
      ? []
      : [invalid(`${path}.type`, metadata.type ?? '', 'must be object')];
  const { type: _type, default: _default, properties = {}, ...others } = metadata;
  const isMore =
    Object.keys(others).length > 0 ||
    Object.keys(properties).some((key) => key !== 'name' && key !== 'generateName');
  const why =
    'must not specify anything other than name and generateName, but metadata is implicitly specified';
  return isRoot && isMore ? [...type, forbidden(path, why)] : type;
}
