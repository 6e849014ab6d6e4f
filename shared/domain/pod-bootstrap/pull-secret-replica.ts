import { labels, manager } from '../installation.ts';
import { isJsonObject, isList, type JsonObject, jsonIn } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';

export const pullSecretType = 'kubernetes.io/dockerconfigjson';
const key = '.dockerconfigjson';

/** Who writes them, as the cluster notes it. */
export const replicaManager = 'gatehouse-pull-secret';

/** Of every replica, and of nothing else: what carries them is ours to write and to delete. */
export const replicaLabels = {
  [labels.managedBy]: manager,
  [labels.component]: 'pull-secret-replica',
} as const;

/**
 * For people: which state of the source was copied. Whoever edits a replica may write it too: nothing is decided by it
 * but where else a source is looked for, before this one replica is taken away.
 */
export const sourceAnnotation = 'gatehouse.io/copied-from';

export function isReplica({ metadata }: KubeObject): boolean {
  const found = metadata.labels ?? {};
  return Object.entries(replicaLabels).every(([label, value]) => found[label] === value);
}

/**
 * Who takes the labels off makes nothing his own: the API server notes whose the credentials are, until somebody else
 * writes others.
 */
export function isOurs(secret: KubeObject): boolean {
  return isReplica(secret) || appliedIn(secret).some(holdsCredentials);
}

/** What the API server notes of what we have applied. */
export function appliedIn(secret: KubeObject): readonly JsonObject[] {
  return writtenIn(secret).filter(isByUs);
}

function writtenIn({ metadata: { managedFields } }: KubeObject): readonly JsonObject[] {
  return isList(managedFields) ? managedFields.filter(isJsonObject) : [];
}

function isByUs({ manager, operation }: JsonObject): boolean {
  return manager === replicaManager && operation === 'Apply';
}

function holdsCredentials({ fieldsV1 }: JsonObject): boolean {
  const data = isJsonObject(fieldsV1) ? fieldsV1['f:data'] : undefined;
  return isJsonObject(data) && Object.hasOwn(data, `f:${key}`);
}

/** When we last applied something of it, where somebody else has written other credentials since; as far as that is noted. */
export function overwrittenSince(secret: KubeObject): Date | undefined {
  const applied = appliedIn(secret);
  if (applied.some(holdsCredentials)) return undefined;
  const [time] = applied.flatMap(({ time }) => (typeof time === 'string' ? time : []));
  return time === undefined ? undefined : new Date(time);
}

/** The bytes as the API server spells them, which has one spelling for the same bytes. */
export function credentialsIn(secret: KubeObject): string | undefined {
  const { data, type } = secret;
  if (type !== pullSecretType || !isJsonObject(data) || !Object.hasOwn(data, key)) return undefined;
  const found = data[key];
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** What all replicas are to have. A copy that we made, and nobody has written since, is no source wherever settings lead. */
export function sourceCredentials(source: KubeObject): string | undefined {
  return isCopy(source) ? undefined : credentialsIn(source);
}

export function isCopy(secret: KubeObject): boolean {
  const writers = writtenIn(secret).filter(holdsCredentials);
  return writers.length > 0 && writers.every(isByUs);
}

/** The namespace that it was copied from, as it says itself: anybody's text, which becomes part of an address. */
export function homeOf({ metadata: { annotations } }: KubeObject): string | undefined {
  const { namespace } = parsed(annotations?.[sourceAnnotation]);
  return typeof namespace === 'string' && aNamespace.test(namespace) ? namespace : undefined;
}

const aNamespace = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

function parsed(source = ''): JsonObject {
  const found = jsonIn(source);
  return isJsonObject(found) ? found : {};
}

/** Nothing of the source but its credentials: neither its labels nor other keys. */
export function replicaOf(source: KubeObject, namespace: string): KubeObject {
  const { name = '' } = source.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      ...{ name, namespace },
      labels: replicaLabels,
      annotations: { [sourceAnnotation]: JSON.stringify(originOf(source)) },
    },
    type: pullSecretType,
    data: { [key]: credentialsIn(source) ?? '' },
  };
}

function originOf({ metadata }: KubeObject): JsonObject {
  const { namespace = '', uid = '', resourceVersion = '' } = metadata;
  return { namespace, uid, resourceVersion };
}
