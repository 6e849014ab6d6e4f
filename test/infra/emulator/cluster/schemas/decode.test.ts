import { describe, expect, it } from 'vitest';
import { findVersion } from '#infra/emulator/cluster/custom/definition.ts';
import { isRefusal, type Refusal } from '#infra/emulator/cluster/refusal.ts';
import { decoded, decodedWith } from '#infra/emulator/cluster/schemas/decode.ts';
import { duplicateFields } from '#infra/emulator/cluster/schemas/decoding/duplicate-fields.ts';
import { builtInSchema } from '#infra/emulator/cluster/schemas/open-schemas.ts';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { widgets } from '../custom/widgets.ts';
import { decodeCases } from './decode-cases.ts';

function schemaOf({ apiVersion, kind }: JsonObject) {
  const [version = '', group = ''] = String(apiVersion).split('/').reverse();
  const type = { group, version, kind: String(kind) };
  return builtInSchema(type) ?? findVersion(widgets, version)?.whole ?? {};
}

function parsed(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new Error('it is an object');
  return value;
}

function messageOf({ body }: Refusal): unknown {
  return isJsonObject(body) ? body['message'] : body;
}

function read(object: JsonObject): JsonObject {
  const found = decoded(object, schemaOf(object), 'Ignore');
  if (isRefusal(found)) throw new Error(String(messageOf(found)));
  return found.object;
}

const pod = (spec: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec,
});
const widget = (more: JsonObject): JsonObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  ...more,
});

describe('a body', () => {
  it.each(decodeCases)(
    'for %s: %s is read as strictly as the real server does',
    (_, body, message) => {
      const object = parsed(body);
      const how = { how: 'Strict', duplicates: duplicateFields(body) } as const;
      const found = decodedWith(object, schemaOf(object), how);
      expect(isRefusal(found) ? messageOf(found) : '').toBe(message);
    },
  );

  it('with two wrong types is told of the first, and of nothing else', () => {
    const object = pod({ nodeName: 5, hostNetwork: 'x', foo: 1 });
    expect(decoded(object, schemaOf(object), 'Strict')).toMatchObject({
      body: {
        message:
          'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number into Go struct field PodSpec.spec.nodeName of type string',
      },
    });
  });

  it('with an unknown field is warned of, or loses it in silence', () => {
    const object = pod({ containers: [{ name: 'c', bar: 1 }], foo: { a: 1 } });
    const warnings = ['unknown field "spec.containers[0].bar"', 'unknown field "spec.foo"'];
    const clean = { ...pod({ containers: [{ name: 'c', resources: {} }] }), status: {} };
    expect(decoded(object, schemaOf(object), 'Warn')).toEqual({ object: clean, warnings });
    expect(decoded(object, schemaOf(object), 'Ignore')).toEqual({ object: clean, warnings: [] });
  });

  it('has quantities, times and bytes in the form of the server', () => {
    const secret = read({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { creationTimestamp: '2030-01-01T01:00:00.5+01:00' },
      data: { a: 'YW\nJj' },
    });
    const limited = read(
      pod({ containers: [{ name: 'c', resources: { limits: { cpu: 1.5, memory: '1024Mi' } } }] }),
    );
    expect(secret).toMatchObject({
      metadata: { creationTimestamp: '2030-01-01T00:00:00Z' },
      data: { a: 'YWJj' },
    });
    expect(limited).toMatchObject({
      spec: { containers: [{ resources: { limits: { cpu: '1500m', memory: '1Gi' } } }] },
    });
  });

  it('has no null: a field is not there, an item is the zero of its type', () => {
    const object = pod({
      containers: [{ name: 'c', command: [null, 'a'], image: null }],
      nodeName: null,
    });
    expect(read(object)['spec']).toEqual({
      containers: [{ name: 'c', command: ['', 'a'], resources: {} }],
    });
  });

  it('has no empty list or map but where one is demanded, and every struct that is no pointer', () => {
    const object = {
      ...pod({ containers: [], volumes: [], nodeSelector: {}, securityContext: {} }),
      metadata: { labels: {} },
    };
    expect(read(object)).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {},
      spec: { containers: [], securityContext: {} },
      status: {},
    });
  });

  it('takes a number or a text where either is one', () => {
    const port = (value: string | number) =>
      pod({ containers: [{ name: 'c', livenessProbe: { httpGet: { port: value } } }] });
    expect([read(port(80)), read(port('http'))]).toMatchObject([
      { spec: { containers: [{ livenessProbe: { httpGet: { port: 80 } } }] } },
      { spec: { containers: [{ livenessProbe: { httpGet: { port: 'http' } } }] } },
    ]);
  });

  it('keeps what the server does not look into', () => {
    const schema = {
      type: 'object',
      properties: { spec: { type: 'object', enum: [{ a: [] }], default: { b: null } } },
    };
    const object = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: schema } }] },
    };
    expect(read(object)).toMatchObject(object);
  });
});

describe('a body of a custom kind', () => {
  it('loses what its schema does not know, and what of its metadata nobody knows', () => {
    const object = widget({
      metadata: { name: 'w', zz: 1 },
      spec: { name: 'abc', zz: 1, keyed: [{ k: 'a', zz: 1 }], map: { any: 1 } },
      sp: 1,
    });
    const warnings = ['metadata.zz', 'sp', 'spec.keyed[0].zz', 'spec.zz'].map(
      (path) => `unknown field "${path}"`,
    );
    expect(decoded(object, schemaOf(object), 'Warn')).toEqual({
      object: widget({
        metadata: { name: 'w' },
        spec: { name: 'abc', keyed: [{ k: 'a' }], map: { any: 1 } },
      }),
      warnings,
    });
  });

  it('keeps unknown fields where the schema says so', () => {
    const spec = {
      name: 'abc',
      free: { a: { b: 1 } },
      emb: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, more: 1 },
    };
    expect(read(widget({ spec }))).toEqual(widget({ spec }));
  });

  it('is told of unknown metadata in an embedded object', () => {
    const object = widget({
      spec: { name: 'abc', emb: { apiVersion: 'v1', kind: 'Pod', metadata: { zz: 1 } } },
    });
    expect(decoded(object, schemaOf(object), 'Strict')).toMatchObject({
      code: 400,
      body: {
        message:
          'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.emb.metadata.zz"',
      },
    });
  });

  it('must have metadata of the right types; the rest is for validation', () => {
    const object = widget({ metadata: { labels: { a: 5 } }, spec: { name: 5 } });
    expect(decoded(object, schemaOf(object), 'Ignore')).toMatchObject({
      code: 400,
      body: {
        message:
          'Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
      },
    });
    expect(read(widget({ metadata: {}, spec: { name: 5 } }))).toMatchObject({ spec: { name: 5 } });
  });
});
