import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import { apiVersion } from '#shared/domain/kind.ts';
import type { GroupVersionKind } from '../parts.ts';
import { create } from '../pipeline/creating.ts';
import { metadataOf, textIn, withMetadata } from '../pipeline/metadata.ts';
import { update } from '../pipeline/updating.ts';
import type { Done, Write } from '../pipeline/write.ts';
import { badRequest, isRefusal, type Refusal, refusal } from '../refusal.ts';
import { keyOf } from '../store/stored.ts';
import { jsonIn, yamlIn } from './body.ts';
import { mayCreate } from './permitting.ts';
import type { Answer, Asked, World } from './world.ts';
import { shown, writeOf } from './writes.ts';

const kinds = new Set([
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
]);

const unsupported = refusal(415, {
  reason: 'UnsupportedMediaType',
  message: '415: Unsupported Media Type',
  details: {},
});

export type Patch = { readonly contentType: string; readonly value: Json };

export async function patchIn({ body, headers }: Asked): Promise<Patch | Refusal> {
  const contentType = (headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
  if (!kinds.has(contentType)) return unsupported;
  const bytes = await body();
  if (isRefusal(bytes)) return bytes;
  const isApply = contentType === 'application/apply-patch+yaml';
  const read = isApply ? yamlIn(bytes) : jsonIn(bytes);
  if ('value' in read) return { contentType, value: read.value };
  if (isApply) return badRequest(`error decoding YAML: ${read.problem}`);
  const problem = read.problem.replace('json parse error: ', '');
  return badRequest(
    contentType.includes('strategic') ? problem : `error decoding patch: ${problem}`,
  );
}

export async function patch(asked: Asked, world: World): Promise<Answer | Refusal> {
  const stated = await patchIn(asked);
  if (isRefusal(stated)) return stated;
  const write = writeOf(asked, world);
  if (isRefusal(write)) return write;
  const done = stated.contentType.includes('apply')
    ? await applied(stated.value, write, () => mayCreate(asked, world))
    : await patched(stated, write);
  return shown(done, asked, world);
}

function patched({ contentType, value }: Patch, write: Write): Promise<Done | Refusal> {
  const { parts, schema } = write;
  const make = (before: JsonObject) => parts.patched(before, value, { contentType, schema });
  return update(make, { ...write, patch: { contentType, value } }, 'patched');
}

async function applied(
  value: Json,
  write: Write,
  mayMake: () => Refusal | undefined,
): Promise<Done | Refusal> {
  const stated = value ?? {};
  const config = isJsonObject(stated) ? configIn(stated, meantBy(write)) : noMap(stated);
  if (isRefusal(config)) return config;
  const { of, namespace, name, subresource } = write;
  const isThere = of.find(keyOf(namespace, name)) !== undefined;
  if (isThere || subresource !== undefined) {
    return update((before) => appliedOn(before, config, write), write, 'applied');
  }
  const no = mayMake() ?? missing(config, write);
  const first = no ?? appliedOn(undefined, config, write);
  if (isRefusal(first)) return first;
  // The version that is stated is of nothing.
  return create(withMetadata(first, { resourceVersion: undefined }), write, 'applied');
}

export function noMap(value: Json): Refusal {
  const type = Array.isArray(value) ? 'array' : typeof value;
  return badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`,
  );
}

function missing(config: JsonObject, { of, name }: Write): Refusal | undefined {
  const uid = textIn(metadataOf(config), 'uid');
  if (uid === undefined) return undefined;
  const message = `Operation cannot be fulfilled on ${of.kind.resource} "${name}": uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  return refusal(409, { reason: 'Conflict', message, details: { name, kind: of.kind.resource } });
}

function appliedOn(
  before: JsonObject | undefined,
  config: JsonObject,
  { parts, options, of, version, subresource, now, schema }: Write,
): JsonObject | Refusal {
  return parts.applied(before, config, {
    ...{ manager: options.fieldManager, force: options.force, subresource, now, schema },
    apiVersion: apiVersion({ group: of.kind.group, version }),
  });
}

type Meant = { readonly type: GroupVersionKind; readonly name: string };

function meantBy({ of, version, name }: Write): Meant {
  return { type: { group: of.kind.group, version, kind: of.kind.kind }, name };
}

/** Whoever applies says of what type; its name may stand in the path alone. */
export function configIn(value: JsonObject, { type, name }: Meant): JsonObject | Refusal {
  const stated = textIn(metadataOf(value), 'name');
  if (stated !== undefined && stated !== name) {
    return badRequest(
      `the name of the object (${stated}) does not match the name on the URL (${name})`,
    );
  }
  const expected = apiVersion(type);
  const { apiVersion: said = '', kind = '' } = value;
  if (said !== expected || kind !== type.kind) {
    return badRequest(
      `invalid object type: ${String(said).includes('/') ? '' : '/'}${String(said)}, Kind=${String(kind)}`,
    );
  }
  return { kind: type.kind, apiVersion: expected, ...withMetadata(value, { name }) };
}
