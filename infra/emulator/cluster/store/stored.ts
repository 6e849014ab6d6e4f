import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { apiVersion } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { ServedKind } from '../served-kinds.ts';

/** An object as it lies in memory: as text, which is a fifth of what its tree takes, beside what it is selected by. */
export type Stored = {
  /** `namespace/name`, by which lists are sorted. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly version: number;
  readonly labels: Readonly<Record<string, string>>;
  /** JSON without the opening brace, `kind` and `apiVersion`: those depend on who asks. Its metadata come first. */
  readonly body: string;
  /** Where in the body the metadata end: whoever wants only those is given a piece of the text. */
  readonly metadataEnd: number;
};

export function keyOf(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`;
}

/** With its version written into it. */
export function storedFrom(object: JsonObject, version: number | undefined): Stored {
  const { kind: _, apiVersion: __, metadata, ...rest } = object;
  const stated = isJsonObject(metadata) ? metadata : {};
  const { name, namespace, uid, labels } = stated;
  const head = `"metadata":${JSON.stringify(inOrder(stated, version))}`;
  const tail = JSON.stringify(rest);
  return {
    key: keyOf(String(namespace ?? ''), String(name)),
    namespace: String(namespace ?? ''),
    name: String(name),
    uid: String(uid),
    version: version ?? 0,
    labels: isJsonObject(labels) ? (labels as Readonly<Record<string, string>>) : noLabels,
    body: tail === '{}' ? `${head}}` : `${head},${tail.slice(1)}`,
    metadataEnd: head.length,
  };
}

const noLabels = Object.freeze({});

/** As the real server writes them. */
function inOrder(metadata: JsonObject, version: number | undefined): object {
  const {
    name,
    generateName,
    namespace,
    selfLink: _,
    uid,
    resourceVersion: __,
    ...rest
  } = metadata;
  const { generation, creationTimestamp, deletionTimestamp, ...more } = rest;
  const { deletionGracePeriodSeconds, labels, annotations, ...last } = more;
  return {
    ...{ name, generateName, namespace, uid, resourceVersion: version?.toString() },
    ...{ generation, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds },
    ...{ labels: isJsonObject(labels) ? labels : undefined, annotations },
    ...last,
  };
}

export function parsedBody({ body }: Pick<Stored, 'body'>): JsonObject {
  return JSON.parse(`{${body}`) as JsonObject;
}

export function objectOf(stored: Stored, kind: ServedKind, version: string): KubeObject {
  const type = { kind: kind.kind, apiVersion: apiVersion({ group: kind.group, version }) };
  return { ...type, ...parsedBody(stored) } as KubeObject;
}

/** The same state under another version. */
export function reversioned(stored: Stored, version: number): Stored {
  // Nothing before it in the metadata can hold its key: in a text, the quotes would be escaped.
  const at = stored.body.indexOf(versionKey) + versionKey.length;
  const end = stored.body.indexOf('"', at);
  const body = stored.body.slice(0, at) + version + stored.body.slice(end);
  const metadataEnd = stored.metadataEnd + body.length - stored.body.length;
  return { ...stored, version, body, metadataEnd };
}

const versionKey = '"resourceVersion":"';
