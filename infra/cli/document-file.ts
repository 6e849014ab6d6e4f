import { readFileSync, statSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { jsonSchema } from '#shared/domain/decode.ts';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { plainDocument } from '#shared/domain/pod-bootstrap/document.ts';
import { readDocument, stated } from '#shared/domain/pod-bootstrap/read-document.ts';
import { defaultSettings, maxConfigBytes } from '#shared/runtime/config/load.ts';
import { asJson, trouble } from './output.ts';

/** Of the ConfigMap's document: keys that nobody knows are ignored there, and some have to be stated. */
export function documentSchema(): string {
  const { properties } = objectSchema(jsonSchema(plainDocument));
  const { clusterTrustBundle } = properties;
  const bundle = {
    description: 'What pods are to trust; no bundle is mounted where it is left out.',
    ...open(objectSchema(clusterTrustBundle).properties, stated.bundle),
  };
  return asJson({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: "The ConfigMap's document of pod bootstrap",
    ...open({ ...properties, clusterTrustBundle: bundle }, stated.document),
  });
}

function open(properties: object, required: readonly string[]) {
  return { type: 'object', properties, required };
}

function objectSchema(schema: unknown): { readonly properties: JsonObject } {
  const properties = isJsonObject(schema) ? schema['properties'] : undefined;
  return { properties: isJsonObject(properties) ? properties : {} };
}

export type CheckedDocument = {
  readonly file: string;
  readonly ok: boolean;
  readonly kind: 'bootstrap-document';
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
};

/** What the cluster would say of it. `undefined` where the file is neither the document nor its ConfigMap. */
export function checkDocumentFile(file: string): CheckedDocument | undefined {
  const found = foundIn(file);
  if (found === undefined) return undefined;

  const about = { file, kind: 'bootstrap-document' } as const;
  if ('problem' in found) return { ...about, ok: false, problems: [found.problem], warnings: [] };
  const read = readDocument(found.source);
  return read.ok
    ? { ...about, ok: true, problems: [], warnings: read.warnings }
    : { ...about, ok: false, problems: read.problems, warnings: [] };
}

/** The text of a document that can be used. */
export function documentFrom(file: string): string {
  const found = foundIn(file);
  if (found !== undefined && 'source' in found && readDocument(found.source).ok)
    return found.source;
  throw trouble(`${file} is no document of pod bootstrap that can be used`, {
    mend: `gatehouse config check ${file} says what is wrong with it`,
  });
}

function foundIn(file: string): Found | undefined {
  const text = textOf(file);
  return text === undefined ? undefined : documentIn(text);
}

function textOf(file: string): string | undefined {
  try {
    return statSync(file).size > 2 * maxConfigBytes ? undefined : readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

type Found = { readonly source: string } | { readonly problem: string };

/** Upstream's keys, none of which is one of our settings. */
const keys = ['overrides', 'clusterTrustBundle', 'namespaceFeatures', 'availableFeatures'];

function documentIn(text: string): Found | undefined {
  const objects = objectsIn(text);
  const [only] = objects;
  if (objects.length === 1 && only !== undefined && keys.some((key) => Object.hasOwn(only, key))) {
    return { source: text };
  }
  const found = objects.filter(({ kind }) => kind === 'ConfigMap').map(documentOf);
  return found.find((each) => each !== undefined);
}

const usual = defaultSettings.podBootstrap.configMap;

/** Under the key that it usually has, or under the only one that there is; other ConfigMaps are none of ours. */
function documentOf({ metadata, data }: JsonObject): Found | undefined {
  const entries = isJsonObject(data) ? data : {};
  const named = Object.keys(entries).filter((key) => key.endsWith('.json'));
  const key = named.length === 1 ? (named[0] ?? usual.key) : usual.key;
  const source = entries[key];
  if (typeof source === 'string') return { source };
  if (!isJsonObject(metadata) || metadata['name'] !== usual.name) return undefined;
  return { problem: `the ConfigMap has no key ${usual.key}, which holds the document` };
}

function objectsIn(text: string): readonly JsonObject[] {
  return [...parseAllDocuments(text, { logLevel: 'silent' })].flatMap((each) => {
    const value = each.errors.length > 0 ? undefined : plain(each);
    return isJsonObject(value) ? [value] : [];
  });
}

/** Of what unfolds without an end nobody can say that it is a document. */
function plain(parsed: ReturnType<typeof parseAllDocuments>[number]): unknown {
  try {
    return parsed.toJS({ maxAliasCount: 100 });
  } catch {
    return undefined;
  }
}
