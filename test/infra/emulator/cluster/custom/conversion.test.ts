import { describe, expect, it } from 'vitest';
import { asksWebhook, converted, type Door } from '#infra/emulator/cluster/custom/conversion.ts';
import { isJsonObject, isList, type JsonObject } from '#shared/domain/json.ts';
import { foos } from './foos.ts';

const old = {
  apiVersion: 'bad.io/v1',
  kind: 'Foo',
  metadata: { name: 'f', uid: 'u', generation: 2 },
  spec: { a: 'x' },
};
const present = { ...old, apiVersion: 'bad.io/v2' };
const caBundle = Buffer.from('PEM').toString('base64');
const service = { namespace: 'ns', name: 'svc', path: '/convert' };
const webhook = { conversionReviewVersions: ['v7', 'v1'], clientConfig: { service, caBundle } };
const definition = foos({ spec: { conversion: { strategy: 'Webhook', webhook } } });

type Call = Parameters<Door>[0];

/** A webhook that turns each object into what `make` says. */
function door(make: (object: JsonObject) => JsonObject, more: JsonObject = {}) {
  const calls: Call[] = [];
  const answers: Door = async (call) => {
    calls.push(call);
    const request = isJsonObject(call.body['request']) ? call.body['request'] : {};
    const objects = isList(request['objects']) ? request['objects'].filter(isJsonObject) : [];
    const response = {
      uid: request['uid'] ?? '',
      result: { status: 'Success' },
      convertedObjects: objects.map(make),
      ...more,
    };
    const { apiVersion } = call.body;
    const body = JSON.stringify({ apiVersion, kind: 'ConversionReview', response });
    return { status: 200, type: 'application/json', body };
  };
  return { calls, answers };
}

const up = (object: JsonObject): JsonObject => ({
  ...object,
  apiVersion: 'bad.io/v2',
  spec: { b: 'x' },
});

function convert(answers: Door, objects: readonly JsonObject[] = [old]) {
  return converted(objects, 'v2', { definition, door: answers, uid: 'review' });
}

describe('an object of another version', () => {
  it('is only named otherwise where the definition has no webhook', async () => {
    const by = { definition: foos(), door: door(up).answers, uid: 'review' };
    expect(await converted([old], 'v2', by)).toEqual([present]);
    expect(asksWebhook(foos())).toBe(false);
  });

  it('is what the webhook makes of it, in its place in the list', async () => {
    const { answers, calls } = door(up);
    expect(await convert(answers, [present, old])).toEqual([
      present,
      { ...present, spec: { b: 'x' } },
    ]);
    expect(calls).toMatchObject([
      {
        url: undefined,
        service: { ...service, port: 443 },
        caBundle: 'PEM',
        timeoutMs: 30_000,
        body: {
          kind: 'ConversionReview',
          apiVersion: 'apiextensions.k8s.io/v1',
          request: { uid: 'review', desiredAPIVersion: 'bad.io/v2', objects: [old] },
        },
      },
    ]);
  });

  it('asks nobody when all are of the wanted version', async () => {
    const { answers, calls } = door(up);
    expect(await convert(answers, [present])).toEqual([present]);
    expect(calls).toEqual([]);
  });

  it('keeps its metadata but labels and annotations, whatever the webhook does to it', async () => {
    const { answers } = door((object) => ({
      ...up(object),
      metadata: { name: 'f', uid: 'u', generation: 9, labels: { a: 'b' } },
    }));
    expect(await convert(answers)).toMatchObject([
      { metadata: { generation: 2, labels: { a: 'b' } } },
    ]);
  });
});

describe('a conversion that fails', () => {
  const intro = 'conversion webhook for bad.io/v1, Kind=Foo';
  const identity = (object: JsonObject) => object;

  it.each<[string, Door, string]>([
    [
      'says no',
      door(up, { result: { status: 'Failure', message: 'not today' } }).answers,
      'failed: not today',
    ],
    [
      'says nothing',
      door(up, { result: { status: 'Failure' } }).answers,
      "failed: response.result.status was 'Failure', not 'Success'",
    ],
    [
      'answers another review',
      door(up, { uid: 'x' }).answers,
      'failed: expected response.uid="review", got "x"',
    ],
    [
      'loses an object',
      door(up, { convertedObjects: [] }).answers,
      'returned 0 objects, expected 1',
    ],
    [
      'does nothing',
      door(identity).answers,
      'returned invalid converted object at index 0: invalid groupVersion (expected bad.io/v2, received bad.io/v1)',
    ],
    [
      'renames',
      door((object) => ({ ...up(object), metadata: { name: 'g', uid: 'u' } })).answers,
      'returned invalid converted object at index 0: must have the same name: f != g',
    ],
    [
      'is away',
      () => Promise.reject(new Error('connection refused')),
      'failed: connection refused',
    ],
    [
      'breaks',
      async () => ({ status: 503, type: '', body: '' }),
      'failed: the server is currently unable to handle the request',
    ],
  ])('because the webhook %s is told in the words of the server', async (_, answers, why) => {
    expect(await convert(answers)).toMatchObject({
      code: 500,
      body: { message: `${intro} ${why}` },
    });
  });
});
