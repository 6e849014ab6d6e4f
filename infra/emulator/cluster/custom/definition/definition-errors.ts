import { type JsonObject, sameJson } from '#shared/domain/json.ts';
import { checkedMetadataChange } from '../../kinds/words/metadata.ts';
import { child, root } from '../../kinds/words/place.ts';
import type { FieldError } from '../../parts.ts';
import { objectAt, objectsAt, textAt } from '../definition.ts';
import { invalid, required } from '../valid/found.ts';
import { conditionOf } from './conditions.ts';
import { isSubdomain } from './label.ts';
import { textsAt } from './names.ts';
import { specErrors } from './spec-errors.ts';

export function definitionErrors(
  next: JsonObject,
  before: JsonObject | undefined,
): readonly FieldError[] {
  const spec = objectAt(next, 'spec');
  return [
    ...(before === undefined ? objectNameErrors(next, spec) : []),
    ...lifeErrors(next, before),
    ...specErrors(spec),
    ...(before === undefined ? [] : fixedErrors(spec, before)),
    ...storedErrors(next, spec),
    ...approvalErrors(next, spec),
    ...(spec['preserveUnknownFields'] === true ? [preserving] : []),
  ];
}

const preserving = invalid(
  'spec.preserveUnknownFields',
  true,
  'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
);

/** As of any object: it stays this one. */
export function lifeErrors(next: JsonObject, before: JsonObject | undefined) {
  if (before === undefined) return [];
  const changed = checkedMetadataChange(
    child(root(next), 'metadata'),
    objectAt(before, 'metadata'),
  );
  // Whoever has not seen it is told before.
  return changed.filter(({ field }) => field !== 'metadata.resourceVersion');
}

/** That the name is one at all is the pipeline's to say. */
function objectNameErrors(next: JsonObject, spec: JsonObject): readonly FieldError[] {
  const name = textAt(objectAt(next, 'metadata'), 'name');
  const wanted = `${textAt(objectAt(spec, 'names'), 'plural')}.${textAt(spec, 'group')}`;
  if (name === wanted || !isSubdomain(name)) return [];
  return [invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
}

/** Before it is established, a definition may still become another. */
function fixedErrors(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const old = objectAt(before, 'spec');
  const [names, oldNames] = [objectAt(spec, 'names'), objectAt(old, 'names')];
  const isEstablished = conditionOf(before, 'Established')?.['status'] === 'True';
  const fixed = (path: string, value: string, was: string) =>
    value === was ? [] : [invalid(path, value, 'field is immutable')];
  return [
    ...(isEstablished
      ? [
          ...fixed('spec.scope', textAt(spec, 'scope'), textAt(old, 'scope')),
          ...fixed('spec.names.kind', textAt(names, 'kind'), textAt(oldNames, 'kind')),
        ]
      : []),
    ...fixed('spec.group', textAt(spec, 'group'), textAt(old, 'group')),
    ...fixed('spec.names.plural', textAt(names, 'plural'), textAt(oldNames, 'plural')),
  ];
}

function storedErrors(next: JsonObject, spec: JsonObject): readonly FieldError[] {
  const path = 'status.storedVersions';
  const stored = textsAt(objectAt(next, 'status'), 'storedVersions');
  if (stored.length === 0) return [invalid(path, null, 'must have at least one stored version')];
  const versions = objectsAt(spec, 'versions');
  const names = versions.map((version) => textAt(version, 'name'));
  const missing = versions
    .filter((version) => version['storage'] === true && !stored.includes(textAt(version, 'name')))
    .map((version) =>
      invalid(path, [...stored], `must have the storage version ${textAt(version, 'name')}`),
    );
  const gone = stored.flatMap((name, index) =>
    names.includes(name) ? [] : [invalid(`${path}[${index}]`, name, goneText(name))],
  );
  return [...missing, ...gone];
}

function goneText(name: string): string {
  return `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
}

const approval = 'api-approved.kubernetes.io';

function approvalErrors(next: JsonObject, spec: JsonObject): readonly FieldError[] {
  const group = textAt(spec, 'group');
  const isProtected = /(^|\.)(k8s|kubernetes)\.io$/.test(group);
  const annotations = objectAt(objectAt(next, 'metadata'), 'annotations');
  if (!isProtected || textAt(annotations, approval) !== '') return [];
  const why = `protected groups must have approval annotation ${JSON.stringify(approval)}, see https://github.com/kubernetes/enhancements/pull/1111`;
  return [required(`metadata.annotations[${approval}]`, why)];
}

export function isSameSpec(next: JsonObject, before: JsonObject): boolean {
  return sameJson(next['spec'], before['spec']);
}
