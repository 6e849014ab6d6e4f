import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { apiVersion } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { ServedKind } from './served-kinds.ts';

/** An object as it lies in memory: as text, which is a fifth of what its tree takes, beside what it is selected by. */
export type Stored = {
  /** `namespace/name`, by which lists are sorted. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly version: number;
  readonly labels: Readonly<Record<string, string>>;
  /** JSON without the opening brace, `kind` and `apiVersion`: those depend on who asks. */
  readonly body: string;
};

export function keyOf(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`;
}

/** With its version written into it. */
export function storedFrom(object: JsonObject, version: number): Stored {
  const { kind: _, apiVersion: __, metadata, ...rest } = object;
  const { name, namespace, uid, labels, ...more } = isJsonObject(metadata) ? metadata : {};
  const named = { name, namespace, uid, resourceVersion: String(version), ...withLabels(labels) };
  const whole = JSON.stringify({ metadata: { ...named, ...without(more) }, ...rest });
  return {
    key: keyOf(String(namespace ?? ''), String(name)),
    namespace: String(namespace ?? ''),
    name: String(name),
    uid: String(uid),
    version,
    labels: isJsonObject(labels) ? (labels as Readonly<Record<string, string>>) : noLabels,
    body: whole.slice(1),
  };
}

const noLabels = Object.freeze({});

function withLabels(labels: unknown) {
  return isJsonObject(labels) ? { labels } : {};
}

function without({ resourceVersion: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

export function parsedBody({ body }: Stored): JsonObject {
  return JSON.parse(`{${body}`) as JsonObject;
}

export function objectOf(stored: Stored, kind: ServedKind, version: string): KubeObject {
  const type = { kind: kind.kind, apiVersion: apiVersion({ group: kind.group, version }) };
  return { ...type, ...parsedBody(stored) } as KubeObject;
}

/** The same state under another version, as a deletion's event carries it. */
export function reversioned(stored: Stored, version: number): Stored {
  return storedFrom(parsedBody(stored), version);
}

/** How a client wants objects: of which API version, and whether only their metadata. */
export type View = { readonly version: string; readonly isPartial: boolean };

export function textOf(stored: Stored, kind: ServedKind, { version, isPartial }: View): string {
  if (!isPartial) {
    const api = apiVersion({ group: kind.group, version });
    return `{"kind":"${kind.kind}","apiVersion":"${api}",${stored.body}`;
  }
  const { metadata } = parsedBody(stored);
  const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
  return JSON.stringify(partial);
}

/** Typed lists leave out what each item is; lists of custom resources and of metadata do not. */
export function itemText(stored: Stored, kind: ServedKind, view: View): string {
  return kind.isCustom || view.isPartial ? textOf(stored, kind, view) : `{${stored.body}`;
}
