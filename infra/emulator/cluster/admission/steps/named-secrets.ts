import type { JsonObject } from '#shared/domain/json.ts';
import { inside, objects, text } from '../../access/stated.ts';

/** Whether it names one anywhere: to pull with, in its containers' variables, in its volumes. */
export function namesSecret(pod: JsonObject): boolean {
  const spec = inside(pod['spec']);
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((key) =>
    objects(spec[key]),
  );
  const references = [
    ...objects(spec['imagePullSecrets']),
    ...containers.flatMap(inVariables),
    ...objects(spec['volumes']).flatMap(inVolume),
  ];
  return references.some(({ name, secretName }) => text(name) !== '' || text(secretName) !== '');
}

function inVariables({ env, envFrom }: JsonObject): readonly JsonObject[] {
  return [
    ...objects(envFrom).map(({ secretRef }) => inside(secretRef)),
    ...objects(env).map(({ valueFrom }) => inside(inside(valueFrom)['secretKeyRef'])),
  ];
}

function inVolume(volume: JsonObject): readonly JsonObject[] {
  const { azureFile, secret, projected } = volume;
  const sources = Object.values(volume).map(inside);
  return [
    ...[azureFile, secret].map(inside),
    ...objects(inside(projected)['sources']).map((source) => inside(source['secret'])),
    ...sources.flatMap(({ secretRef, nodePublishSecretRef }) =>
      [secretRef, nodePublishSecretRef].map(inside),
    ),
  ];
}
