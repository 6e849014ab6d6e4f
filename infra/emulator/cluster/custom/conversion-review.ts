import { isJsonObject, isList, type JsonObject } from '#shared/domain/json.ts';
import { statusWords } from '../admission/webhooks/status-words.ts';
import { objectAt, textAt } from './definition.ts';

type Answer = { readonly status: number; readonly body: unknown };
type Expected = { readonly wanted: string; readonly uid: string; readonly apiVersion: string };

/** The converted objects, or what is wrong with the answer, in the server's words. */
export function reviewed(
  answer: Answer,
  sent: readonly JsonObject[],
  expected: Expected,
): readonly JsonObject[] | string {
  const why = unusable(answer, expected);
  if (why !== undefined) return `failed: ${why}`;
  const objects = convertedIn(answer.body);
  if (objects.length !== sent.length)
    return `returned ${objects.length} objects, expected ${sent.length}`;
  const wrong = objects.findIndex(
    (object, index) => problemOf(object, sent[index] ?? {}, expected) !== undefined,
  );
  if (wrong >= 0) {
    const problem = problemOf(objects[wrong] ?? {}, sent[wrong] ?? {}, expected);
    return `returned invalid converted object at index ${wrong}: ${problem}`;
  }
  return objects.map((object, index) => withMetadataOf(object, sent[index] ?? {}));
}

function unusable({ status, body }: Answer, { uid, apiVersion }: Expected): string | undefined {
  if (status < 200 || status > 206)
    return statusWords(status, 'application/json', JSON.stringify(body ?? null));
  if (
    !isJsonObject(body) ||
    body['apiVersion'] !== apiVersion ||
    body['kind'] !== 'ConversionReview'
  )
    return `expected webhook response of ${apiVersion}, Kind=ConversionReview`;
  const { response } = body;
  if (!isJsonObject(response)) return 'no response provided';
  const echoed = textAt(response, 'uid');
  if (echoed !== uid)
    return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(echoed)}`;
  const result = objectAt(response, 'result');
  const said = textAt(result, 'message');
  if (result['status'] === 'Success') return undefined;
  return said === ''
    ? `response.result.status was '${textAt(result, 'status')}', not 'Success'`
    : said;
}

function convertedIn(body: unknown): readonly JsonObject[] {
  const stated = isJsonObject(body) ? objectAt(body, 'response')['convertedObjects'] : undefined;
  return isList(stated) ? stated.filter(isJsonObject) : [];
}

function problemOf(object: JsonObject, sent: JsonObject, { wanted }: Expected): string | undefined {
  if (object['apiVersion'] !== wanted)
    return `invalid groupVersion (expected ${wanted}, received ${String(object['apiVersion'])})`;
  if (object['kind'] !== sent['kind'])
    return `invalid kind (expected ${String(sent['kind'])}, received ${String(object['kind'])})`;
  if (!isJsonObject(object['metadata'])) return 'missing metadata in converted object';
  const [metadata, before] = [object['metadata'], objectAt(sent, 'metadata')];
  const changed = ['name', 'namespace', 'uid'].find(
    (key) => textAt(metadata, key) !== textAt(before, key),
  );
  if (changed === undefined) return undefined;
  const called = changed === 'uid' ? 'UID' : changed;
  return `must have the same ${called}: ${textAt(before, changed)} != ${textAt(metadata, changed)}`;
}

/** Of the metadata a webhook may change labels and annotations; whatever else it did to it is undone. */
function withMetadataOf(object: JsonObject, sent: JsonObject): JsonObject {
  const { labels: _labels, annotations: _annotations, ...kept } = objectAt(sent, 'metadata');
  const metadata = objectAt(object, 'metadata');
  const changed = ['labels', 'annotations'].flatMap((key): [string, JsonObject][] => {
    const value = metadata[key];
    return isJsonObject(value) ? [[key, value]] : [];
  });
  return { ...object, metadata: { ...kept, ...Object.fromEntries(changed) } };
}
