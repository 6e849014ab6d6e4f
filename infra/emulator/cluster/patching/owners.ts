import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import { canonical, type Misread } from './canonical.ts';
import { type Fields, noFields } from './fields.ts';
import { inOrder, trusted } from './in-order.ts';

/** One entry of `managedFields`. */
export type Owner = {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string | undefined;
  readonly time: string | undefined;
  readonly fields: Fields;
};

/** By what tells owners apart. */
export type Owners = ReadonlyMap<string, Owner>;

export const nobody: Owners = new Map();

type Identity = Omit<Owner, 'time' | 'fields'>;

/** An applier is the same one in every version. */
export function identityOf({ manager, operation, apiVersion, subresource }: Identity): string {
  return JSON.stringify({
    ...(manager === '' ? {} : { manager }),
    operation,
    ...(operation === 'Apply' || apiVersion === '' ? {} : { apiVersion }),
    ...(subresource === undefined ? {} : { subresource }),
  });
}

export function metadataOf({ metadata }: JsonObject): JsonObject {
  return isJsonObject(metadata) ? metadata : {};
}

export function managedFieldsOf(object: JsonObject): Json | undefined {
  return metadataOf(object)['managedFields'];
}

type Reading = (fieldsV1: Json) => { readonly fields: Fields } | Misread;

/** Entries that somebody sent; what cannot be read is said in the server's words. */
export function ownersSent(entries: Json | undefined): Owners | Misread {
  return ownersIn(entries, canonical);
}

/** Entries that the server has written: their sets are taken as they are. */
export function ownersStored(object: JsonObject | undefined): Owners | Misread {
  return ownersIn(object === undefined ? undefined : managedFieldsOf(object), (fieldsV1) =>
    isSet(fieldsV1) ? { fields: trusted(fieldsV1) } : canonical(fieldsV1),
  );
}

function isSet(fieldsV1: Json): fieldsV1 is Fields {
  return isJsonObject(fieldsV1);
}

function ownersIn(entries: Json | undefined, reading: Reading): Owners | Misread {
  if (!isList(entries)) return nobody;
  const owners = new Map<string, Owner>();
  for (const [index, entry] of entries.entries()) {
    const owner = ownerOf(isJsonObject(entry) ? entry : {}, index, reading);
    if ('misread' in owner) return owner;
    owners.set(identityOf(owner), owner);
  }
  return owners;
}

function ownerOf(entry: JsonObject, index: number, reading: Reading): Owner | Misread {
  const { operation, fieldsType = '', time, fieldsV1, subresource } = entry;
  const [manager, apiVersion] = [textOf(entry['manager']), textOf(entry['apiVersion'])];
  if (operation !== 'Apply' && operation !== 'Update') {
    return { misread: 'operation must be `Apply` or `Update`' };
  }
  if (apiVersion === '') return { misread: 'apiVersion must not be empty' };
  if (fieldsType === '') return { misread: `missing fieldsType in managed fields entry ${index}` };
  if (fieldsType !== 'FieldsV1') {
    const what = JSON.stringify(fieldsType);
    return { misread: `invalid fieldsType ${what} in managed fields entry ${index}` };
  }
  const fields = reading(fieldsV1 ?? {});
  if ('misread' in fields) return fields;
  return {
    manager,
    operation,
    apiVersion,
    subresource: textOf(subresource) || undefined,
    time: textOf(time) || undefined,
    fields: fields.fields,
  };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function owning(owner: Owner, fields: Fields): Owner {
  return fields === owner.fields ? owner : { ...owner, fields };
}

export function ownedBy(owners: Owners, identity: string): Fields {
  return owners.get(identity)?.fields ?? noFields;
}

export function bare(object: JsonObject): JsonObject {
  if (managedFieldsOf(object) === undefined) return object;
  const { managedFields: _, ...metadata } = metadataOf(object);
  return { ...object, metadata };
}

/** The object with its owners, as they are written: appliers first, then by age. */
export function ownedObject(object: JsonObject, owners: Owners): JsonObject {
  if (owners.size === 0) return bare(object);
  const managedFields = [...owners.values()].sort(byAge).map(entryOf);
  return { ...object, metadata: { ...metadataOf(object), managedFields } };
}

function byAge(one: Owner, other: Owner): number {
  return (
    compareTexts(one.operation, other.operation) ||
    compareTexts(one.time ?? '', other.time ?? '') ||
    compareTexts(one.manager, other.manager) ||
    compareTexts(one.apiVersion, other.apiVersion) ||
    compareTexts(one.subresource ?? '', other.subresource ?? '')
  );
}

export function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function entryOf({ manager, operation, apiVersion, subresource, time, fields }: Owner): JsonObject {
  return {
    ...(manager === '' ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: inOrder(fields),
    ...(subresource === undefined ? {} : { subresource }),
  };
}
