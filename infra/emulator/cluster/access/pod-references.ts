import type { JsonObject } from '#shared/domain/json.ts';
import { inside, metadataOf, nameOf, objects, text } from './stated.ts';

/** What of its namespace a pod refers to. */
export type Referred = 'secrets' | 'configmaps' | 'persistentvolumeclaims' | 'serviceaccounts';

/** By the resource the names. */
export function referencesOf(pod: JsonObject): Readonly<Record<Referred, readonly string[]>> {
  const spec = inside(pod['spec']);
  const volumes = objects(spec['volumes']);
  const containers = containersOf(spec);
  return {
    secrets: [
      ...objects(spec['imagePullSecrets']).map(({ name }) => text(name)),
      ...containers.flatMap((each) => inContainer(each, 'secretRef', 'secretKeyRef')),
      ...volumes.flatMap(secretsIn),
    ],
    configmaps: [
      ...containers.flatMap((each) => inContainer(each, 'configMapRef', 'configMapKeyRef')),
      ...volumes.flatMap((volume) => [
        text(inside(volume['configMap'])['name']),
        ...projected(volume, 'configMap'),
      ]),
    ],
    persistentvolumeclaims: volumes.map((volume) => claimIn(volume, nameOf(pod))),
    serviceaccounts: [text(spec['serviceAccountName'])],
  };
}

export function refersTo(pod: JsonObject, kind: Referred): boolean {
  return referencesOf(pod)[kind].some((name) => name !== '');
}

/** A kubelet's own word of what it runs without having been asked. */
export function isMirror(pod: JsonObject): boolean {
  return inside(metadataOf(pod)['annotations'])['kubernetes.io/config.mirror'] !== undefined;
}

function containersOf(spec: JsonObject): readonly JsonObject[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((key) =>
    objects(spec[key]),
  );
}

function inContainer(container: JsonObject, whole: string, single: string): readonly string[] {
  return [
    ...objects(container['envFrom']).map((each) => text(inside(each[whole])['name'])),
    ...objects(container['env']).map(({ valueFrom }) =>
      text(inside(inside(valueFrom)[single])['name']),
    ),
  ];
}

/** Where a kind of volume has the secret by which it is reached. */
const secretRefs = ['cephfs', 'cinder', 'flexVolume', 'rbd', 'scaleIO', 'iscsi', 'storageos'];

function secretsIn(volume: JsonObject): readonly string[] {
  const nameIn = (key: string, reference: string) =>
    text(inside(inside(volume[key])[reference])['name']);
  return [
    text(inside(volume['secret'])['secretName']),
    text(inside(volume['azureFile'])['secretName']),
    nameIn('csi', 'nodePublishSecretRef'),
    ...secretRefs.map((key) => nameIn(key, 'secretRef')),
    ...projected(volume, 'secret'),
  ];
}

function projected(volume: JsonObject, key: string): readonly string[] {
  const { sources } = inside(volume['projected']);
  return objects(sources).map((source) => text(inside(source[key])['name']));
}

function claimIn(volume: JsonObject, pod: string): string {
  if (volume['ephemeral'] !== undefined) return `${pod}-${text(volume['name'])}`;
  return text(inside(volume['persistentVolumeClaim'])['claimName']);
}
