import type { JsonObject } from '#shared/domain/json.ts';
import { apiVersion, type Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster, PatchBody, Target, Write, WriteOptions } from '#shared/ports.ts';
import { collectionPath, objectPath, scoped, wordsFor } from './address.ts';
import { type Answer, objectFrom, refusal } from './answer.ts';
import type { Ask, Question } from './ask.ts';

export function writes(ask: Ask): Omit<Cluster, 'find' | 'list'> {
  const write = async (question: Question) => written(question, await ask(question));
  return {
    create: async (kind, object, options = {}) => write(creation(kind, object, options)),
    replace: async (target, object, options = {}) => write(replacement(target, object, options)),
    patch: async (target, body, options = {}) => write(patching(target, body, options)),
    apply: async (target, object, options) => write(application(target, object, options)),
    evict: async (target, options = {}) => write(eviction(target, options)),
    delete: async (target, options = {}) => write(deletion(target, options)),
  };
}

/** What the server answers on purpose is a value; the rest is an outage or a bug of ours. */
function written(question: Question, answer: Answer): Write {
  const { status, why, afterSeconds = 1 } = answer;
  if (status >= 200 && status < 300) {
    return { kind: 'written', object: objectFrom(question.what, answer) };
  }
  if (status === 404) return { kind: 'not-found' };
  if (status === 409 || status === 412) return { kind: 'conflict', why };
  if (status === 422 && isAboutAnotherObject(question, answer)) return { kind: 'conflict', why };
  if (status === 429) return { kind: 'busy', why, afterSeconds };
  throw refusal(question.what, answer);
}

/** A JSON Patch that does not fit, or a uid that is no longer the object's: both come as "invalid". */
function isAboutAnotherObject({ contentType }: Question, { fields }: Answer): boolean {
  if (fields.length === 0) return contentType === patchTypes.json;
  return fields.includes('metadata.uid');
}

const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;

function creation(kind: Kind, object: KubeObject, options: WriteOptions): Question {
  const { namespace, name, generateName } = object.metadata;
  const target = scoped({ kind, namespace, name: name ?? String(generateName ?? '') });
  const what = `create ${wordsFor(target)}`;
  return {
    what,
    method: 'POST',
    path: collectionPath(kind, namespace),
    query: dryRun(options),
    body: { ...object, apiVersion: apiVersion(kind), kind: kind.kind },
  };
}

function replacement(target: Target, object: KubeObject, options: WriteOptions): Question {
  const body = { ...object, metadata: { ...object.metadata, ...preconditions(options) } };
  if (body.metadata.resourceVersion === undefined) {
    throw new Error(`a replace of ${wordsFor(target)} needs a resourceVersion`);
  }
  return {
    what: `update ${wordsFor(target)}`,
    method: 'PUT',
    path: objectPath(target),
    query: dryRun(options),
    body,
  };
}

function patching(target: Target, body: PatchBody, options: WriteOptions): Question {
  return {
    what: `patch ${wordsFor(target)}`,
    method: 'PATCH',
    path: objectPath(target),
    query: dryRun(options),
    contentType: patchTypes[body.type],
    body: body.type === 'json' ? operations(body, options) : conditional(body.body, options),
  };
}

function operations(body: PatchBody & { readonly type: 'json' }, options: WriteOptions) {
  const tests = Object.entries(preconditions(options)).map(([key, value]) => {
    return { op: 'test', path: `/metadata/${key}`, value };
  });
  return [...tests, ...body.operations];
}

/** Server-side apply and both merge patches: metadata that names a uid or a version has to be the object's. */
function conditional(body: JsonObject, options: WriteOptions): JsonObject {
  const stated = preconditions(options);
  if (Object.keys(stated).length === 0) return body;
  return { ...body, metadata: { ...(body['metadata'] as JsonObject | undefined), ...stated } };
}

function application(
  target: Target,
  object: KubeObject,
  options: Parameters<Cluster['apply']>[2],
): Question {
  const { kind, namespace, name } = target;
  const metadata = { ...object.metadata, name, ...(namespace === undefined ? {} : { namespace }) };
  const stated = { ...object, apiVersion: apiVersion(kind), kind: kind.kind, metadata };
  return {
    what: `apply ${wordsFor(target)}`,
    method: 'PATCH',
    path: objectPath(target),
    query: {
      ...dryRun(options),
      fieldManager: options.fieldManager,
      force: options.force === true ? 'true' : undefined,
    },
    // JSON is YAML.
    contentType: 'application/apply-patch+yaml',
    body: conditional(stated, options),
  };
}

function eviction(target: Target, options: WriteOptions): Question {
  const { namespace, name } = target;
  return {
    what: `evict ${wordsFor(target)}`,
    method: 'POST',
    path: objectPath(target, 'eviction'),
    query: dryRun(options),
    body: {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace },
      deleteOptions: deleteOptions(options),
    },
  };
}

function deletion(target: Target, options: WriteOptions): Question {
  return {
    what: `delete ${wordsFor(target)}`,
    method: 'DELETE',
    path: objectPath(target),
    body: { ...deleteOptions(options), propagationPolicy: 'Background' },
  };
}

/** A delete with a body reads its dry run from there, and not from the query. */
function deleteOptions(options: WriteOptions): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    preconditions: preconditions(options),
    ...(options.dryRun === true ? { dryRun: ['All'] } : {}),
  };
}

function dryRun(options: WriteOptions): Readonly<Record<string, string | undefined>> {
  return { dryRun: options.dryRun === true ? 'All' : undefined };
}

function preconditions({ uid, resourceVersion }: WriteOptions): Readonly<Record<string, string>> {
  return {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
