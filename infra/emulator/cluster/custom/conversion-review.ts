import { isJsonObject, isList, type JsonObject } from '#shared/domain/json.ts';
import { decodedReview, type ReviewForm } from '../admission/webhooks/decoding.ts';
import { statusWords } from '../admission/webhooks/status-words.ts';
import { objectAt, textAt } from './definition.ts';

type Answer = { readonly status: number; readonly type: string; readonly body: string };
type Expected = { readonly wanted: string; readonly uid: string; readonly apiVersion: string };

/** The converted objects, or what is wrong with the answer, in the server's words. */
export function reviewed(
  answer: Answer,
  sent: readonly JsonObject[],
  expected: Expected,
): readonly JsonObject[] | string {
  const review = reviewIn(answer, expected);
  const why = typeof review === 'string' ? review : unusable(review, expected);
  if (typeof review === 'string' || why !== undefined) return `failed: ${why}`;
  const objects = convertedIn(review);
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

function reviewIn({ status, type, body }: Answer, { apiVersion }: Expected): JsonObject | string {
  if (status < 200 || status > 206) return statusWords(status, type, body);
  if (body === '')
    return `0-length response with status code: ${status} and content type: ${type || 'application/json'}`;
  return decodedReview(body, formOf(apiVersion));
}

function formOf(apiVersion: string): ReviewForm {
  const kinds = ['ConversionReview', 'CustomResourceDefinition', 'CustomResourceDefinitionList'];
  const versions = ['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1'];
  return {
    ...{ apiVersion, kind: 'ConversionReview', response: 'ConversionResponse' },
    fields: {
      uid: 'types.UID',
      convertedObjects: '[]runtime.RawExtension',
      result: 'v1.Status',
    },
    convertible: [
      ...versions.flatMap((version) => kinds.map((kind) => `${version} ${kind}`)),
      'v1 Status',
    ],
  };
}

/** What is left out the decoder takes for granted, and the server not. */
function unusable(review: JsonObject, { uid, apiVersion }: Expected): string | undefined {
  const stated = `${textAt(review, 'apiVersion') || '/'}, Kind=${textAt(review, 'kind')}`;
  const own = `${apiVersion}, Kind=ConversionReview`;
  if (stated !== own) return `expected webhook response of ${own}, got ${stated}`;
  const { response } = review;
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

function convertedIn(review: JsonObject): readonly JsonObject[] {
  const stated = objectAt(review, 'response')['convertedObjects'];
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
