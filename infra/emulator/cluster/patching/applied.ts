import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { Applied, Schema } from '../parts.ts';
import { badRequest, type Refusal, refusal } from '../refusal.ts';
import { type Application, application } from './applying.ts';
import { blankOf } from './blank.ts';
import type { Conflicts } from './changing.ts';
import { conflicted } from './conflicting.ts';
import type { Fields } from './fields.ts';
import { annotated, forgiven } from './last-applied.ts';
import { bare, metadataOf, type Owners, ownedObject, ownersStored } from './owners.ts';
import { resetBy } from './resets.ts';
import { type Shape, shapeOf } from './shapes.ts';
import { stampOf } from './time.ts';
import { updatedOwners, type Writer } from './updating.ts';
import { misfitsOf } from './validating.ts';

export const applied: Applied = (before, config, by) => {
  const shape = shapeOf(by.schema);
  const owners = ownersStored(before);
  if ('misread' in owners) return failed(`failed to decode managed fields: ${owners.misread}`);
  const refused = unfit(config, shape, { ...by, kind: before?.['kind'] });
  if (refused !== undefined) return refused;
  const { manager, apiVersion, subresource, force, schema } = by;
  const writer = { manager, apiVersion, subresource, time: stampOf(by) };
  const blank = blankOf(apiVersion, schema);
  const live = before === undefined ? blank : bare(before);
  const reset = resetBy(config, by);
  const known = owners.size > 0 ? owners : foundOwners({ shape, blank, live, writer, reset });
  return settled({ shape, live, config, owners: known, reset, by: writer, force });
};

function settled(what: Application): JsonObject | Refusal {
  const first = application(what);
  const outcome = first.kind === 'conflicts' ? forgiven(what, first.conflicts) : first;
  if (outcome.kind === 'conflicts')
    return conflicted(asSeen(outcome.conflicts, what.by.subresource));
  return ownedObject(annotated(outcome.object, what), outcome.owners);
}

/** Through `scale` every owner is one of a Scale. */
function asSeen(conflicts: Conflicts, subresource: string | undefined): Conflicts {
  if (subresource !== 'scale') return conflicts;
  return conflicts.map(({ owner, fields }) => ({
    owner: { ...owner, apiVersion: 'autoscaling/v1' },
    fields,
  }));
}

type Found = {
  readonly shape: Shape;
  readonly blank: JsonObject;
  readonly live: JsonObject;
  readonly writer: Writer;
  readonly reset: Fields;
};

/** Where nobody has kept books so far, all that is there belongs to whoever made it. */
function foundOwners({ shape, blank, live, writer, reset }: Found): Owners {
  const change = { shape, before: blank, after: live, reset };
  return updatedOwners(new Map(), change, { ...writer, manager: 'before-first-apply' });
}

type Expected = {
  readonly apiVersion: string;
  readonly kind: Json | undefined;
  readonly schema: Schema | undefined;
};

function unfit(config: JsonObject, shape: Shape, expected: Expected): Refusal | undefined {
  const { apiVersion = '', kind = '' } = config;
  const [group, version] = String(apiVersion).includes('/')
    ? String(apiVersion).split('/')
    : ['', apiVersion];
  const type = `${group}/${version}, Kind=${kind}`;
  if (apiVersion !== expected.apiVersion || !isOfKind(kind, expected)) {
    return badRequest(`invalid object type: ${type}`);
  }
  const { managedFields, namespace = '', name = '' } = metadataOf(config);
  if (managedFields !== undefined && managedFields !== null) {
    return badRequest('metadata.managedFields must be nil');
  }
  const misfits = misfitsOf(shape, config);
  if (misfits === undefined) return undefined;
  return failed(`failed to create typed patch object (${namespace}/${name}; ${type}): ${misfits}`);
}

/** The expected kind is what stands there, or what the schema is of. */
function isOfKind(kind: Json, { kind: found, schema }: Expected): boolean {
  if (found !== undefined) return kind === found;
  const types = schema?.['x-kubernetes-group-version-kind'];
  if (!Array.isArray(types)) return kind !== '';
  return types.some((type) => isJsonObject(type) && type['kind'] === kind);
}

/** The real server takes these for its own fault. */
function failed(message: string): Refusal {
  return refusal(500, { message });
}
