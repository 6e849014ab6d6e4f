import type { JsonObject } from '#shared/domain/json.ts';
import type { Schema } from '../parts.ts';
import { customStatus } from '../schemas/decode.ts';
import { isBuiltIn } from './built-in.ts';
import { type Fields, fieldsAt, noFields, union } from './fields.ts';

type Door = {
  readonly apiVersion: string;
  readonly subresource: string | undefined;
  readonly schema: Schema | undefined;
};

const [spec, status, metadata] = [fieldsAt('spec'), fieldsAt('status'), fieldsAt('metadata')];

/** Kinds whose status subresource leaves all of the metadata as it was. */
const keepMetadata = new Set([
  'APIService',
  'CustomResourceDefinition',
  'DeviceTaintRule',
  'FlowSchema',
  'PriorityLevelConfiguration',
  'ResourceClaim',
  'StorageVersion',
  'StorageVersionMigration',
  'ValidatingAdmissionPolicy',
  'VolumeAttachment',
]);

const moreOfStatus: Readonly<Record<string, Fields>> = {
  CertificateSigningRequest: fieldsAt('status', 'conditions'),
  Deployment: fieldsAt('metadata', 'labels'),
  Pod: union(fieldsAt('metadata', 'deletionTimestamp'), fieldsAt('metadata', 'ownerReferences')),
};

/** Kinds that have a status and reset nothing, or that have none to reset. */
const resetNothing = new Set([
  ...['ServiceCIDR', 'Event', 'ComponentStatus', 'TokenRequest', 'TokenReview'],
  ...['SelfSubjectAccessReview', 'SubjectAccessReview', 'LocalSubjectAccessReview'],
]);

/** The fields that a door does not let through, whatever is sent through it. */
export function resetBy(object: JsonObject, { apiVersion, subresource, schema }: Door): Fields {
  const kind = String(object['kind']);
  const builtIn = isBuiltIn(apiVersion);
  if (!hasOwnStatus(schema) || (builtIn && resetNothing.has(kind))) return noFields;
  const at = byDoor[subresource ?? ''] ?? (() => noFields);
  return at(builtIn ? kind : '');
}

/** A custom kind may have one that is a field like others. */
function hasOwnStatus(schema: Schema | undefined): boolean {
  return schema?.properties?.['status'] !== undefined && schema[customStatus] !== false;
}

const byDoor: Readonly<Record<string, (kind: string) => Fields>> = {
  '': (kind) => (kind === 'CertificateSigningRequest' ? union(spec, status) : status),
  approval: () => union(spec, fieldsAt('status', 'certificate')),
  finalize: () => status,
  status: (kind) =>
    union(spec, keepMetadata.has(kind) ? metadata : (moreOfStatus[kind] ?? noFields)),
};
