import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { featureKey } from '#shared/domain/pod-bootstrap/feature.ts';

export const home = 'kyma-system';
export const secretName = 'registry-credentials';

export function credentials(text: string): string {
  return Buffer.from(JSON.stringify({ auths: { 'registry.test': { auth: text } } })).toString(
    'base64',
  );
}

export function pullSecret(namespace: string, text: string, more: JsonObject = {}): KubeObject {
  return {
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/dockerconfigjson' },
    metadata: { name: secretName, namespace },
    data: { '.dockerconfigjson': credentials(text) },
    ...more,
  };
}

export function namespaceOf(name: string, annotations: Annotations = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations } };
}

type Annotations = Readonly<Record<string, string>>;

export const optOut = { [featureKey('add-img-pull-secret')]: 'false' };

/** With the one feature on, unless another list is given. */
export function documentText(more: JsonObject = {}): string {
  const availableFeatures = [featureKey('add-img-pull-secret')];
  return JSON.stringify({ overrides: {}, availableFeatures, ...more });
}

export function documentMap(more: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'rt-bootstrapper-config', namespace: home },
    data: { 'rt-bootstrapper-config.json': documentText(more) },
  };
}

export function credentialsOf(secret: KubeObject | undefined): unknown {
  return isJsonObject(secret?.['data']) ? secret['data']['.dockerconfigjson'] : undefined;
}
