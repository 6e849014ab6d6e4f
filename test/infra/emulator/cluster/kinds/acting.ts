import { rulesOf } from '#infra/emulator/cluster/kinds/rules-of.ts';
import type { Acting, Subresource } from '#infra/emulator/cluster/parts.ts';
import { isRefusal, type Refusal } from '#infra/emulator/cluster/refusal.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { at, kindOf } from './corpus.ts';

type Objects = Readonly<Record<string, readonly JsonObject[]>>;

/** A few objects, and what an action did to them. */
export function worldOf(objects: Objects, { dryRun = false }: { dryRun?: boolean } = {}) {
  const updates: (readonly [string, JsonObject])[] = [];
  const removals: (readonly [string, string, JsonObject])[] = [];
  const world: Acting = {
    ...at,
    dryRun,
    find: (kind, { name }) => objects[kind]?.find((each) => named(each) === name),
    list: (kind) => objects[kind] ?? [],
    onChange: () => {},
    update(kind, next) {
      updates.push([kind, next]);
      return { ...next, metadata: { ...metadataOf(next), resourceVersion: '2' } };
    },
    remove(kind, { name }, options) {
      removals.push([kind, name, options]);
      return Promise.resolve({});
    },
    issueToken: (_, request) => ({ ...request, status: { token: 'issued' } }),
  };
  return { world, updates, removals };
}

function metadataOf({ metadata }: JsonObject): JsonObject {
  return metadata as JsonObject;
}

function named(object: JsonObject): unknown {
  return metadataOf(object)['name'];
}

export function subresourceOf(apiVersion: string, kind: string, name: string): Subresource {
  const found = rulesOf(kindOf({ apiVersion, kind })).subresources[name];
  if (found === undefined) throw new Error(`${kind} has no ${name}`);
  return found;
}

export function act(what: readonly [string, string, string], sent: JsonObject, on: JsonObject) {
  const subresource = subresourceOf(...what);
  if (subresource.shape !== 'action') throw new Error(`${what} is no action`);
  const wrong = subresource.misstated?.(sent, String(named(on)));
  return async (world: Acting) => wrong ?? (await subresource.act(sent, on, world));
}

/** The code and what a person reads of it. */
export function said(answer: JsonObject | string | Refusal): readonly [number, unknown] {
  if (typeof answer === 'string') return [200, answer];
  if (!isRefusal(answer)) return [Number(answer['code']), answer['status']];
  const { body } = answer;
  return [answer.code, typeof body === 'string' ? body : body['message']];
}
