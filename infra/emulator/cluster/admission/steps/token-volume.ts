import { randomInt } from 'node:crypto';
import type { JsonObject } from '#shared/domain/json.ts';
import { inside, objects, text } from '../../access/stated.ts';
import { withSpec } from './step.ts';

const prefix = 'kube-api-access-';
const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The account's token, the cluster's authority and the namespace, in each container that has nothing there yet. */
export function withToken(pod: JsonObject): JsonObject {
  const spec = inside(pod['spec']);
  const volumes = objects(spec['volumes']);
  const own = volumes.find((volume) => text(volume['name']).startsWith(prefix));
  const name = own === undefined ? `${prefix}${suffix()}` : text(own['name']);
  const mounting = (['initContainers', 'containers'] as const).flatMap((list) => {
    const containers = objects(spec[list]);
    return containers.every(isMounted)
      ? []
      : [[list, containers.map((each) => mounted(each, name))]];
  });
  if (mounting.length === 0) return pod;
  return withSpec(pod, {
    ...Object.fromEntries(mounting),
    ...(own === undefined && { volumes: [...volumes, volumeOf(name)] }),
  });
}

function isMounted(container: JsonObject): boolean {
  return objects(container['volumeMounts']).some((mount) => mount['mountPath'] === mountPath);
}

function mounted(container: JsonObject, name: string): JsonObject {
  if (isMounted(container)) return container;
  const volumeMounts = [...objects(container['volumeMounts']), { name, readOnly: true, mountPath }];
  return { ...container, volumeMounts };
}

function volumeOf(name: string): JsonObject {
  const authority = { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] };
  const fieldRef = { apiVersion: 'v1', fieldPath: 'metadata.namespace' };
  const sources = [
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: authority },
    { downwardAPI: { items: [{ path: 'namespace', fieldRef }] } },
  ];
  return { name, projected: { sources, defaultMode: 420 } };
}

/** No vowels, so that no words come of it, and nothing that reads like another. */
const letters = 'bcdfghjklmnpqrstvwxz2456789';

function suffix(): string {
  return Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('');
}
