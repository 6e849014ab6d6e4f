import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';

/** What each pod of one template has for itself. */
export type Own = {
  readonly uid: string;
  /** Of the token volume's name. */
  readonly token: string;
  readonly time: string;
};

export const first: Own = {
  uid: '0f5e54fc-4d9d-4896-a30d-509baa4c7f0f',
  token: 'p2w4q',
  time: '2026-11-22T21:56:27Z',
};
export const second: Own = {
  uid: '7a28979b-8124-49e2-aea1-d3a83a97338d',
  token: 'x7k2p',
  time: '2026-11-22T21:56:28Z',
};

export type Sent = {
  readonly own?: Own;
  readonly namespace?: string;
  readonly operation?: string;
  readonly dryRun?: boolean;
  readonly owner?: string | undefined;
};

/** The text of a review as Go writes it, of a pod that a controller makes: its token volume and fields are in already. */
export function sent(pod: JsonObject, stated: Sent = {}): Buffer {
  const { own = first, namespace = 'team-a', operation = 'CREATE', dryRun = false } = stated;
  const request = {
    uid: own.uid,
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    namespace,
    operation,
    userInfo: { username: 'ada', groups: ['system:authenticated'] },
    object: made(pod, own, 'owner' in stated ? stated.owner : 'uid-of-its-owner'),
    oldObject: null,
    dryRun,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
  };
  const review = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request };
  return Buffer.from(JSON.stringify(review));
}

function made(pod: JsonObject, { token, time }: Own, owner: string | undefined): JsonObject {
  const { metadata, spec } = pod;
  const name = `kube-api-access-${token}`;
  const volume = { name, projected: { sources: [] } };
  const mount = {
    name,
    readOnly: true,
    mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
  };
  const fields = { manager: 'kube-controller-manager', operation: 'Update', apiVersion: 'v1' };
  return {
    ...pod,
    metadata: {
      ...objectIn(metadata),
      ...(owner === undefined ? {} : { ownerReferences: [{ kind: 'ReplicaSet', uid: owner }] }),
      managedFields: [{ ...fields, time, fieldsType: 'FieldsV1', fieldsV1: {} }],
    },
    spec: {
      ...objectIn(spec),
      volumes: [...listIn(objectIn(spec)['volumes']), volume],
      containers: listIn(objectIn(spec)['containers']).map((each) => {
        const container = objectIn(each);
        return { ...container, volumeMounts: [...listIn(container['volumeMounts']), mount] };
      }),
    },
  };
}

function objectIn(value: Json | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

function listIn(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
