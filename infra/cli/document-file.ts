import { readFileSync, statSync } from 'node:fs';
import { jsonSchema } from '#shared/domain/decode.ts';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { plainDocument } from '#shared/domain/pod-bootstrap/document.ts';
import { stated } from '#shared/domain/pod-bootstrap/read-document.ts';
import { maxConfigBytes } from '#shared/runtime/config/load.ts';
import { documentsIn, type Found, type MapPlace, nothing } from './found-documents.ts';
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

/** What the cluster would say of it. `undefined` where the file has neither the document nor its ConfigMap. */
export function checkDocumentFile(
  file: string,
  placeOf: () => MapPlace,
): CheckedDocument | undefined {
  const { documents, passedOver } = foundIn(file, placeOf);
  if (documents.length === 0) return undefined;
  // Of several, each is named.
  const say = (of: string, text: string) => (documents.length === 1 ? text : `${of}: ${text}`);
  return {
    ...{ file, kind: 'bootstrap-document' },
    ok: documents.every(({ read }) => read.ok),
    problems: documents.flatMap(({ of, read }) =>
      read.ok ? [] : read.problems.map((each) => say(of, each)),
    ),
    warnings: [
      ...documents.flatMap(({ of, read, doubts }) =>
        [...doubts, ...(read.ok ? read.warnings : [])].map((each) => say(of, each)),
      ),
      ...notLookedAt(passedOver),
    ],
  };
}

const most = 5;

function notLookedAt(passedOver: readonly string[]): readonly string[] {
  if (passedOver.length === 0) return [];
  const more = passedOver.length > most ? ` and ${passedOver.length - most} more` : '';
  return [`not looked at: ${passedOver.slice(0, most).join(', ')}${more}`];
}

/** The text of a document that can be used, the cluster's before others. */
export function documentFrom(file: string, place: MapPlace): string {
  const good = foundIn(file, () => place).documents.filter(({ read }) => read.ok);
  const found = good.find(({ isInPlace }) => isInPlace) ?? good[0];
  if (found !== undefined) return found.source;
  throw trouble(`${file} is no document of pod bootstrap that can be used`, {
    mend: `gatehouse config check ${file} says what is wrong with it`,
  });
}

function foundIn(file: string, placeOf: () => MapPlace): Found {
  const text = textOf(file);
  return text === undefined ? nothing : documentsIn(text, placeOf);
}

function textOf(file: string): string | undefined {
  try {
    return statSync(file).size > 2 * maxConfigBytes ? undefined : readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
