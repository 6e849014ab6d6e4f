import { describe, expect, it } from 'vitest';
import type { RemoteDocuments } from '#infra/emulator/cluster/aggregation/remote-documents.ts';
import { type Documents, openDocuments } from '#infra/emulator/cluster/schemas/open-documents.ts';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { gadgets } from '../custom/gadgets.ts';
import { widgets } from '../custom/widgets.ts';

const path = 'apis/example.com/v1';
const both = openDocuments(() => [widgets, gadgets]);

function parsed(bytes: Buffer | undefined): JsonObject {
  const value: unknown = JSON.parse(bytes?.toString() ?? 'null');
  return isJsonObject(value) ? value : {};
}

function indexed(documents: Documents, key: string): unknown {
  const { paths } = parsed(documents.openApiV3Index());
  return isJsonObject(paths) ? paths[key] : undefined;
}

describe('the documents of OpenAPI v3', () => {
  it('are those of the real server, byte for byte, with its hash', () => {
    const found = both.openApiV3('apis/apps/v1');
    expect(found?.bytes.toString()).toContain(
      'Deployment enables declarative updates for Pods and ReplicaSets.',
    );
    expect(indexed(both, 'apis/apps/v1')).toEqual({
      serverRelativeURL: `/openapi/v3/apis/apps/v1?hash=${found?.etag}`,
    });
  });

  it('have what definitions serve, all kinds of a version in one', () => {
    const document = parsed(both.openApiV3(path)?.bytes);
    expect(document).toMatchObject({
      components: {
        schemas: {
          'com.example.v1.Widget': {
            'x-kubernetes-group-version-kind': [
              { group: 'example.com', kind: 'Widget', version: 'v1' },
            ],
            properties: {
              spec: { properties: { port: { anyOf: [{ type: 'integer' }, { type: 'string' }] } } },
            },
          },
          'com.example.v1.GadgetList': { required: ['items'] },
          'io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference': {},
        },
      },
    });
    expect(both.openApiV3(path)?.etag).toMatch(/^[0-9A-F]{128}$/);
    expect(indexed(both, path)).toEqual({
      serverRelativeURL: `/openapi/v3/${path}?hash=${both.openApiV3(path)?.etag}`,
    });
  });

  it('tell kubectl which patches a custom kind takes', () => {
    const { paths } = parsed(both.openApiV3(path)?.bytes);
    expect(paths).toMatchObject({
      '/apis/example.com/v1/namespaces/{namespace}/widgets/{name}': {
        patch: {
          'x-kubernetes-group-version-kind': {
            group: 'example.com',
            version: 'v1',
            kind: 'Widget',
          },
        },
      },
      '/apis/example.com/v1/namespaces/{namespace}/widgets/{name}/scale': {},
      '/apis/example.com/v1/widgets': {
        get: { operationId: 'listExampleComV1WidgetForAllNamespaces' },
      },
    });
    const text = JSON.stringify(paths);
    expect(text).not.toMatch(/strategic-merge|protobuf|Deployment|AppsV1|apps_v1/);
    expect(text).toContain('application/merge-patch+json');
  });

  it('have no namespaces for a kind of the cluster', () => {
    const spec = isJsonObject(widgets['spec']) ? widgets['spec'] : {};
    const cluster = openDocuments(() => [{ ...widgets, spec: { ...spec, scope: 'Cluster' } }]);
    const text = cluster.openApiV3(path)?.bytes.toString() ?? '';
    expect(Object.keys(objectIn(text, 'paths'))).toEqual([
      '/apis/example.com/v1/widgets',
      '/apis/example.com/v1/widgets/{name}',
      '/apis/example.com/v1/widgets/{name}/scale',
      '/apis/example.com/v1/widgets/{name}/status',
    ]);
    expect(text).not.toContain('{namespace}');
  });

  it('follow the definitions', () => {
    const definitions: JsonObject[] = [];
    const documents = openDocuments(() => definitions);
    expect(documents.openApiV3(path)).toBeUndefined();
    const conditions = [{ type: 'Established', status: 'False' }];
    definitions.push({ ...widgets, metadata: { uid: 'a' }, status: { conditions } });
    expect(documents.openApiV3(path)).toBeUndefined();
    definitions.push(widgets);
    expect(documents.openApiV3(path)).toBeDefined();
    expect(documents.openApiV3('apis/nobody/v1')).toBeUndefined();
  });
});

describe('the documents of other servers', () => {
  const none = { kind: 'none' } as const;
  const place = { serverRelativeURL: '/there?hash=1' };
  const document = (edition: string, body: JsonObject) =>
    ({ kind: 'document', edition, body }) as const;
  const swagger = document('1', {
    info: { title: 'Things' },
    paths: { '/apis/things.example/v1/things': {} },
    definitions: { Thing: { type: 'object' } },
  });
  const things = { group: 'things.example', version: 'v1', index: none, swagger: none };

  it('are named with those of this one, which come first, and are elsewhere', () => {
    const paths = {
      'apis/things.example/v1': { ...place, more: 1 },
      'apis/apps/v1': place,
      odd: 1,
    };
    const remote = { ...things, index: document('1', { paths }) };
    const documents = openDocuments(
      () => [],
      () => [remote],
    );
    expect(indexed(documents, 'apis/things.example/v1')).toEqual(place);
    expect(indexed(documents, 'apis/apps/v1')).not.toEqual(place);
    expect(indexed(documents, 'odd')).toEqual({ serverRelativeURL: '' });
    expect(documents.openApiV3('apis/things.example/v1')).toBeUndefined();
    expect(documents.elsewhere('apis/things.example/v1')).toMatchObject({ version: 'v1' });
    expect(documents.elsewhere('apis/things.example/v2')).toBeUndefined();
    expect(documents.elsewhere('constructor')).toBeUndefined();
  });

  it('are made here for one that has version 2 alone, and not for one that has not been asked', () => {
    const remote: RemoteDocuments[] = [{ ...things, swagger }];
    const documents = openDocuments(
      () => [],
      () => remote,
    );
    const { etag, bytes } = documents.openApiV3('apis/things.example/v1') ?? {};
    expect(parsed(bytes)).toMatchObject({ openapi: '3.0.0', info: { title: 'Things' } });
    expect(indexed(documents, 'apis/things.example/v1')).toEqual({
      serverRelativeURL: `/openapi/v3/apis/things.example/v1?hash=${etag}`,
    });
    remote[0] = { ...things, swagger, index: { kind: 'unknown' } };
    expect(documents.openApiV3('apis/things.example/v1')).toBeUndefined();
  });

  it('are in that of version 2, and another there when they are others', () => {
    const remote: RemoteDocuments[] = [{ ...things, swagger }];
    const documents = openDocuments(
      () => [],
      () => remote,
    );
    expect(parsed(documents.openApiV2())).toMatchObject({
      info: { title: 'Kubernetes' },
      definitions: { Thing: { type: 'object' } },
    });
    const { body } = swagger;
    remote[0] = { ...things, swagger: document('2', { ...body, definitions: { Other: {} } }) };
    expect(objectIn(documents.openApiV2().toString(), 'definitions')).toHaveProperty('Other');
    remote.pop();
    expect(objectIn(documents.openApiV2().toString(), 'definitions')).not.toHaveProperty('Other');
  });
});

describe('the document of OpenAPI v2', () => {
  it('has the published groups alone where nothing is defined', () => {
    const text = openDocuments(() => [])
      .openApiV2()
      .toString();
    expect(text).toContain('"io.k8s.api.apps.v1.Deployment"');
    expect(text).not.toContain('/apis/resource.k8s.io');
  });

  it('has custom kinds, without what version 2 cannot say', () => {
    const { definitions, paths } = parsed(both.openApiV2());
    expect(definitions).toMatchObject({
      'com.example.v1.Widget': {
        properties: {
          metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
          spec: { properties: { port: { 'x-kubernetes-int-or-string': true } } },
        },
      },
      'io.k8s.api.apps.v1.Deployment': {},
    });
    const widget = isJsonObject(definitions)
      ? JSON.stringify(definitions['com.example.v1.Widget'])
      : '';
    expect(widget).not.toMatch(/"(oneOf|anyOf|allOf|nullable|default)":/);
    expect(paths).toMatchObject({
      '/apis/example.com/v1/widgets': {
        get: {
          responses: { 200: { schema: { $ref: '#/definitions/com.example.v1.WidgetList' } } },
        },
      },
    });
  });
});

function objectIn(text: string, key: string): JsonObject {
  const value: unknown = JSON.parse(text);
  const found = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(found) ? found : {};
}
