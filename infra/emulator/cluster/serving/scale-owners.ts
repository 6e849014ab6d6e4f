import { isJsonObject, isList, type JsonObject, sameJson } from '#shared/domain/json.ts';
import { ownedObject, ownersStored } from '../patching/owners.ts';
import { metadataOf, withMetadata } from '../pipeline/metadata.ts';

const replicas: JsonObject = { 'f:spec': { 'f:replicas': {} } };

/** A scale has the owners of its object's replicas, who own there what the scale calls so. */
export function withShownOwners(scale: JsonObject, of: JsonObject): JsonObject {
  const managedFields = ownersOf(of)
    .filter(isOfReplicas)
    .map((owner) => ({ ...owner, apiVersion: 'autoscaling/v1', fieldsV1: replicas }));
  return managedFields.length === 0 ? scale : withMetadata(scale, { managedFields });
}

/** The owners that the object has once its scale has those. */
export function withScaleOwners(object: JsonObject, scale: JsonObject): JsonObject {
  const [own, shown] = [ownersOf(object), ownersOf(scale).filter(isOfReplicas)];
  const kept = own
    .map((owner) => (isAmong(shown, owner) ? owner : lessened(owner)))
    .filter(({ fieldsV1 }) => !sameJson(fieldsV1 ?? {}, {}));
  const added = shown
    .filter((owner) => !isAmong(own, owner))
    // The real server writes no time of them.
    .map(({ time: _, ...owner }) => ({
      ...owner,
      apiVersion: object['apiVersion'] ?? '',
      fieldsV1: replicas,
    }));
  return ordered(withMetadata(object, { managedFields: [...kept, ...added] }));
}

function ordered(object: JsonObject): JsonObject {
  const owners = ownersStored(object);
  return 'misread' in owners ? object : ownedObject(object, owners);
}

function ownersOf(object: JsonObject): readonly JsonObject[] {
  const { managedFields = [] } = metadataOf(object);
  return isList(managedFields) ? managedFields.filter(isJsonObject) : [];
}

function isOfReplicas({ fieldsV1 }: JsonObject): boolean {
  const spec = isJsonObject(fieldsV1) ? fieldsV1['f:spec'] : undefined;
  return isJsonObject(spec) && spec['f:replicas'] !== undefined;
}

function isAmong(owners: readonly JsonObject[], one: JsonObject): boolean {
  return owners.some((each) =>
    ['manager', 'operation', 'subresource'].every((key) => each[key] === one[key]),
  );
}

function lessened(owner: JsonObject): JsonObject {
  const { fieldsV1 } = owner;
  if (!isJsonObject(fieldsV1) || !isOfReplicas(owner)) return owner;
  const { 'f:replicas': _, ...spec } = fieldsV1['f:spec'] as JsonObject;
  const { 'f:spec': __, ...others } = fieldsV1;
  const isNone = Object.keys(spec).length === 0;
  return { ...owner, fieldsV1: isNone ? others : { ...others, 'f:spec': spec } };
}
