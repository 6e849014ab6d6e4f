import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { FieldError } from '../../parts.ts';
import { objectAt, objectsAt, textAt } from '../definition.ts';
import { invalid, notSupported, required } from '../valid/found.ts';
import { conversionErrors } from './conversion-errors.ts';
import { dumpVersions } from './go-dump.ts';
import { atTop, type Part, perVersion, remaining } from './hoisted.ts';
import { labelErrors, subdomainErrors } from './label.ts';
import { nameErrors } from './names.ts';
import { partErrors } from './part-errors.ts';

/** In the order of the server's own check, which is the order of its messages. */
export function specErrors(spec: JsonObject): readonly FieldError[] {
  const versions = objectsAt(spec, 'versions');
  const first = textAt(versions[0] ?? {}, 'name');
  return [
    ...groupErrors(textAt(spec, 'group')),
    ...scopeErrors(textAt(spec, 'scope')),
    ...versions.flatMap(schemalessErrors),
    ...versions.flatMap((version, index) => versionErrors(spec, version, index)),
    ...setErrors(spec),
    ...labelErrors('spec.version', first),
    ...nameErrors(objectAt(spec, 'names'), 'spec.names'),
    ...topErrors(spec),
    ...(isJsonObject(spec['conversion']) ? conversionErrors(spec['conversion']) : []),
  ];
}

function groupErrors(group: string): readonly FieldError[] {
  if (group === '') return [required('spec.group')];
  const errors = subdomainErrors('spec.group', group);
  if (errors.length > 0 || group.includes('.')) return errors;
  return [invalid('spec.group', group, 'should be a domain with at least one dot')];
}

function scopeErrors(scope: string): readonly FieldError[] {
  const known = ['Cluster', 'Namespaced'];
  if (scope === '') return [required('spec.scope')];
  return known.includes(scope) ? [] : [notSupported('spec.scope', scope, known)];
}

function schemalessErrors(version: JsonObject, index: number): readonly FieldError[] {
  const isThere = isJsonObject(objectAt(version, 'schema')['openAPIV3Schema']);
  return isThere ? [] : [required(`spec.versions[${index}].schema.openAPIV3Schema`)];
}

const parts: readonly Part[] = [
  'schema',
  'subresources',
  'additionalPrinterColumns',
  'selectableFields',
];

function versionErrors(
  spec: JsonObject,
  version: JsonObject,
  index: number,
): readonly FieldError[] {
  const path = `spec.versions[${index}]`;
  return [
    ...labelErrors(`${path}.name`, textAt(version, 'name')),
    ...deprecationErrors(version, `${path}.deprecationWarning`),
    ...parts.flatMap((part) => perVersion(spec, part, index).flatMap(partErrors[part])),
  ];
}

function topErrors(spec: JsonObject): readonly FieldError[] {
  return parts.flatMap((part) => atTop(spec, part).flatMap(partErrors[part]));
}

function deprecationErrors(version: JsonObject, path: string): readonly FieldError[] {
  const warning = version['deprecationWarning'];
  if (typeof warning !== 'string') return [];
  const problem =
    version['deprecated'] !== true
      ? 'can only be set for deprecated versions'
      : warning === ''
        ? 'must not be an empty string'
        : warning.length > 256
          ? 'must be <= 256 characters long'
          : undefined;
  return problem === undefined ? [] : [invalid(path, warning, problem)];
}

function setErrors(spec: JsonObject): readonly FieldError[] {
  const versions = objectsAt(spec, 'versions');
  const names = versions.map((version) => textAt(version, 'name'));
  const stored = versions.filter((version) => version['storage'] === true);
  const said = (why: string) => invalid('spec.versions', dumpVersions(remaining(spec)), why);
  return [
    ...(new Set(names).size === names.length ? [] : [said('must contain unique version names')]),
    ...(stored.length === 1
      ? []
      : [said('must have exactly one version marked as storage version')]),
  ];
}
