import { describe, expect, it } from 'vitest';
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
