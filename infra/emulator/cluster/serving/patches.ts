import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import { apiVersion } from '#shared/domain/kind.ts';
import type { GroupVersionKind } from '../parts.ts';
import { unsupported } from '../patching/patched.ts';
import { create } from '../pipeline/creating.ts';
import { unkeyable } from '../pipeline/key-name.ts';
import { metadataOf, textIn, withMetadata } from '../pipeline/metadata.ts';
import { elsewhere, renamed, unnamed } from '../pipeline/steps.ts';
import { made, update } from '../pipeline/updating.ts';
import type { Done, Write } from '../pipeline/write.ts';
import { badRequest, isRefusal, type Refusal, refusal } from '../refusal.ts';
import { idOf } from '../served-kinds.ts';
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

export type Patch = { readonly contentType: string; readonly value: Json };

function typeOf({ headers }: Asked): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
}

/** Custom resources know no strategic merge. */
export function unknownPatch(asked: Asked): Refusal | undefined {
  const type = typeOf(asked);
  const { isCustom } = asked.of.kind;
  const isKnown = kinds.has(type) && !(isCustom && type.includes('strategic'));
  return isKnown ? undefined : unsupported(isCustom);
}

export async function patchIn(asked: Asked): Promise<Patch | Refusal> {
  const contentType = typeOf(asked);
  const bytes = await asked.body();
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
  const write = writeOf(asked, world);
  if (isRefusal(write)) return write;
  const stated = await patchIn(asked);
  const done = typeOf(asked).includes('apply')
    ? await applied(stated, write, () => mayCreate(asked, world))
    : await patched(stated, write);
  return shown(done, asked, world);
}

/** What cannot be read is told only where there is something to patch. */
function patched(patch: Patch | Refusal, write: Write): Promise<Done | Refusal> {
  if (isRefusal(patch)) return update(() => patch, write, 'patched');
  const { contentType, value } = patch;
  const { parts, schema } = write;
  const make = (before: JsonObject) => made(parts.patched(before, value, { contentType, schema }));
  return update(make, { ...write, patch: { contentType, value } }, 'patched');
}

async function applied(
  patch: Patch | Refusal,
  asked: Write,
  mayMake: () => Refusal | undefined,
): Promise<Done | Refusal> {
  const isTyped = !isRefusal(patch) && !asked.of.kind.isCustom;
  const write = isTyped ? { ...asked, patch } : asked;
  const config = isRefusal(patch) ? patch : configOf(patch, write);
  const { of, namespace, name, subresource } = write;
  const isThere = of.find(keyOf(namespace, name)) !== undefined;
  if (isThere || subresource !== undefined) {
    const make = (before: JsonObject) =>
      isRefusal(config) ? config : made(appliedOn(before, config, write));
    return update(make, write, 'applied');
  }
  const no = unkeyable(name) ?? (isRefusal(config) ? config : mayMake());
  const first = no ?? appliedOn(undefined, config as JsonObject, write);
  if (isRefusal(first)) return first;
  // The version that is stated is of nothing.
  return create(withMetadata(first, { resourceVersion: undefined }), write, 'applied');
}

export function configOf({ value }: Patch, write: Write): JsonObject | Refusal {
  const stated = value ?? {};
  return isJsonObject(stated) ? configIn(stated, meantBy(write)) : noMap(stated);
}

function noMap(value: Json): Refusal {
  const type = Array.isArray(value) ? 'array' : typeof value;
  return badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`,
  );
}

function missing(
  config: JsonObject,
  { of, name }: Pick<Write, 'of' | 'name'>,
): Refusal | undefined {
  const uid = textIn(metadataOf(config), 'uid');
  if (uid === undefined) return undefined;
  const message = `Operation cannot be fulfilled on ${idOf(of.kind)} "${name}": uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  const { group, resource } = of.kind;
  const details = { name, ...(group !== '' && { group }), kind: resource };
  return refusal(409, { reason: 'Conflict', message, details });
}

function appliedOn(
  before: JsonObject | undefined,
  config: JsonObject,
  { parts, options, of, version, subresource, now, schema, name, namespace }: Write,
): JsonObject | Refusal {
  const made = parts.applied(before, config, {
    ...{ manager: options.fieldManager, force: options.force, subresource, now, schema },
    apiVersion: apiVersion({ group: of.kind.group, version }),
  });
  if (isRefusal(made)) return made;
  const other = before === undefined ? missing(made, { of, name }) : undefined;
  return other ?? misplaced(made, { name, namespace }) ?? made;
}

/** It is looked at only once it is merged. */
function misplaced(made: JsonObject, at: Pick<Write, 'name' | 'namespace'>): Refusal | undefined {
  const { name, namespace } = metadataOf(made);
  if (at.namespace !== undefined && namespace && namespace !== at.namespace) return elsewhere;
  if (!name) return unnamed(at.name);
  return name === at.name ? undefined : renamed(String(name), at.name);
}

type Meant = { readonly type: GroupVersionKind };

function meantBy({ of, version }: Write): Meant {
  return { type: { group: of.kind.group, version, kind: of.kind.kind } };
}

/** Whoever applies says of what type; of what is there the name may stand in the path alone. */
function configIn(value: JsonObject, { type }: Meant): JsonObject | Refusal {
  const expected = apiVersion(type);
  const { apiVersion: said = '', kind = '' } = value;
  if (said !== expected || kind !== type.kind) {
    return badRequest(
      `invalid object type: ${String(said).includes('/') ? '' : '/'}${String(said)}, Kind=${String(kind)}`,
    );
  }
  return { kind: type.kind, apiVersion: expected, ...value };
}
