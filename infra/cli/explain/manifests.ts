import { LineCounter, parseAllDocuments } from 'yaml';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { trouble } from '../output.ts';

/** Something whose admission can be explained, as the API server would ask about it. */
export type Subject = {
  /** `Pod web`, `Deployment web: its pods` */
  readonly title: string;
  readonly object: JsonObject;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
};

/** Every object of a file: several documents, and what stands in Lists. */
export function objectsIn(text: string, file: string): readonly JsonObject[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  if ('empty' in documents) return [];

  return documents.flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) {
      const { line, col } = lines.linePos(error.pos[0]);
      throw trouble(`this is no YAML: ${error.message}`, { where: `${file}:${line}:${col}` });
    }
    return listed(document.toJS());
  });
}

function listed(value: unknown): readonly JsonObject[] {
  if (!isJsonObject(value)) return [];
  const items = value['items'];
  return textAt(value, 'kind').endsWith('List') && Array.isArray(items)
    ? items.filter(isJsonObject)
    : [value];
}

/** The object itself where it is asked for, or the pod that a controller would make of it. */
export function subjectOf(object: JsonObject, isAskedFor: boolean): Subject | undefined {
  const kind = textAt(object, 'kind');
  const { name, namespace } = identityOf(object);
  const given = { title: `${kind} ${name}`, object, kind, name, namespace };
  if (isAskedFor || kind === 'Pod') return given;

  const pod = podFrom(object, name);
  return (
    pod && { ...given, title: `${kind} ${name}: its pods`, object: pod, kind: 'Pod', name: '' }
  );
}

function podFrom(owner: JsonObject, name: string): JsonObject | undefined {
  const template = templateIn(owner);
  if (template === undefined) return undefined;
  // A controller's pod comes without name and namespace: the first is generated, the second is the request's.
  const metadata = { ...objectAt(template, 'metadata'), generateName: `${name}-` };
  return { apiVersion: 'v1', kind: 'Pod', ...template, metadata };
}

function templateIn(owner: JsonObject): JsonObject | undefined {
  const spec = objectAt(owner, 'spec') ?? {};
  const ofJob = objectAt(objectAt(spec, 'jobTemplate') ?? {}, 'spec') ?? {};
  const template = objectAt(spec, 'template') ?? objectAt(ofJob, 'template');
  return template && objectAt(template, 'spec') && template;
}

export function identityOf(object: JsonObject) {
  const metadata = objectAt(object, 'metadata') ?? {};
  return {
    name: textAt(metadata, 'name') || textAt(metadata, 'generateName'),
    namespace: textAt(metadata, 'namespace') || undefined,
    labels: textsAt(metadata, 'labels'),
    annotations: textsAt(metadata, 'annotations'),
  };
}

export function textAt(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === 'string' ? value : '';
}

function objectAt(object: JsonObject, key: string): JsonObject | undefined {
  const value = object[key];
  return isJsonObject(value) ? value : undefined;
}

function textsAt(object: JsonObject, key: string): Readonly<Record<string, string>> {
  const entries = Object.entries(objectAt(object, key) ?? {});
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}
