import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { CustomVersion } from '../../custom/definition.ts';
import { objectAt, textAt } from '../../custom/definition.ts';
import { once, parsePublished } from '../read-published.ts';
import { componentName, operationPart, tagOf } from './component-names.ts';

const root = '/apis/apps/v1/namespaces/{namespace}/deployments';

/** A custom kind has the operations of a Deployment under its own name, without protobuf, watch paths and strategic merge. */
export function customPaths(definition: JsonObject, version: CustomVersion): JsonObject {
  const plural = textAt(objectAt(objectAt(definition, 'spec'), 'names'), 'plural');
  const isNamespaced = objectAt(definition, 'spec')['scope'] === 'Namespaced';
  const { group, version: name } = version.type;
  const place = `/apis/${group}/${name}`;
  const own = isNamespaced ? `${place}/namespaces/{namespace}/${plural}` : `${place}/${plural}`;
  const paths = [
    ['', ''],
    ['/{name}', '/{name}'],
    ...(version.hasStatus ? [['/{name}/status', '/{name}/status']] : []),
    ...(version.scale === undefined ? [] : [['/{name}/scale', '/{name}/scale']]),
  ].map(
    ([suffix = '']) => [`${own}${suffix}`, item(`${root}${suffix}`, definition, version)] as const,
  );
  const everywhere = isNamespaced
    ? [[`${place}/${plural}`, item('/apis/apps/v1/deployments', definition, version)] as const]
    : [];
  return Object.fromEntries([...paths, ...everywhere]);
}

const deployments = once(() => objectAt(parsePublished('v3.apis.apps.v1.json'), 'paths'));

function item(path: string, definition: JsonObject, version: CustomVersion): JsonObject {
  const isNamespaced = objectAt(definition, 'spec')['scope'] === 'Namespaced';
  const renamed = rename(JSON.stringify(deployments()[path] ?? {}), definition, version);
  const text = isNamespaced ? renamed : renamed.replaceAll('Namespaced', '');
  const made: unknown = JSON.parse(text, (key, value) => {
    if (key === 'content') return jsonOnly(value);
    if (key === 'parameters' && !isNamespaced) return withoutNamespace(value);
    return value;
  });
  return isJsonObject(made) ? made : {};
}

function rename(text: string, definition: JsonObject, { type }: CustomVersion): string {
  const names = objectAt(objectAt(definition, 'spec'), 'names');
  const listKind = textAt(names, 'listKind') || `${type.kind}List`;
  const own = { group: 'apps', kind: 'Deployment', version: 'v1' };
  return text
    .replaceAll('io.k8s.api.apps.v1.DeploymentList', componentName({ ...type, kind: listKind }))
    .replaceAll('io.k8s.api.apps.v1.Deployment', componentName(type))
    .replaceAll(`{"group":"apps","version":"v1","kind":"Deployment"}`, JSON.stringify(type))
    .replaceAll(JSON.stringify(own), JSON.stringify(type))
    .replaceAll('"apps_v1"', JSON.stringify(tagOf(type)))
    .replaceAll('AppsV1', operationPart(type))
    .replaceAll('list or watch objects', 'list objects')
    .replaceAll('Deployment', type.kind);
}

const unknownToCustom = /protobuf|cbor|stream=watch|strategic-merge/;

function jsonOnly(content: JsonObject): JsonObject {
  const any = content['*/*'];
  if (any !== undefined) return { 'application/json': any, 'application/yaml': any };
  return Object.fromEntries(
    Object.entries(content).filter(([type]) => !unknownToCustom.test(type)),
  );
}

function withoutNamespace(parameters: readonly JsonObject[]): readonly JsonObject[] {
  return parameters.filter(({ name }) => name !== 'namespace');
}
