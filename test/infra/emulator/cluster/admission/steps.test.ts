import { afterAll, describe, expect, it } from 'vitest';
import { openAdmission } from '#infra/emulator/cluster/admission/open-admission.ts';
import type { Admitting } from '#infra/emulator/cluster/parts.ts';
import { isRefusal } from '#infra/emulator/cluster/refusal.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { admitting, configMap, mapKind, namespaceKind, pod, podKind } from './admitting.ts';
import { reading, specBy } from './home.ts';

const admission = openAdmission({ reading, refusedGrant: () => undefined });
afterAll(() => admission.close());

const specOf = (spec: JsonObject) => specBy(admission, spec);

describe('the life of namespaces', () => {
  it.each<[string, Admitting, object]>([
    [
      'a create where there is none',
      admitting(mapKind, configMap(), { namespace: 'nope' }),
      {
        code: 404,
        body: { message: 'namespaces "nope" not found', details: { kind: 'namespaces' } },
      },
    ],
    [
      'a create in one that ends',
      admitting(mapKind, configMap(), { namespace: 'ending' }),
      {
        code: 403,
        body: {
          message:
            'configmaps "x" is forbidden: unable to create new content in namespace ending because it is being terminated',
          details: {
            name: 'x',
            kind: 'configmaps',
            causes: [
              {
                reason: 'NamespaceTerminating',
                message: 'namespace ending is being terminated',
                field: 'metadata.namespace',
              },
            ],
          },
        },
      },
    ],
    [
      'the end of the first one',
      admitting(namespaceKind, undefined, { operation: 'DELETE', name: 'default' }),
      {
        code: 403,
        body: { message: 'namespaces "default" is forbidden: this namespace may not be deleted' },
      },
    ],
  ])('forbids %s', async (_, what, expected) => {
    expect(await admission.mutate(what)).toMatchObject(expected);
  });

  it.each<[string, Admitting]>([
    [
      'an update in one that ends',
      admitting(mapKind, configMap(), { namespace: 'ending', operation: 'UPDATE' }),
    ],
    [
      'a delete in one that is gone',
      admitting(mapKind, undefined, { namespace: 'nope', operation: 'DELETE' }),
    ],
    [
      'the end of any other',
      admitting(namespaceKind, undefined, { operation: 'DELETE', name: 'home' }),
    ],
  ])('allows %s', async (_, what) => {
    expect(isRefusal(await admission.mutate(what))).toBe(false);
  });
});

describe('the account of a pod', () => {
  it('is the default one, whose token each container finds', async () => {
    const spec = await specOf({ initContainers: [{ name: 'i', image: 'i' }] });
    const [volume] = spec['volumes'] as unknown as readonly [{ name: string }];
    const mount = {
      name: volume.name,
      readOnly: true,
      mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
    };
    expect(volume.name).toMatch(/^kube-api-access-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(spec).toMatchObject({
      serviceAccountName: 'default',
      serviceAccount: 'default',
      containers: [{ volumeMounts: [mount] }],
      initContainers: [{ volumeMounts: [mount] }],
      volumes: [
        {
          projected: {
            defaultMode: 420,
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
              {
                configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] },
              },
              {
                downwardAPI: {
                  items: [
                    {
                      path: 'namespace',
                      fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' },
                    },
                  ],
                },
              },
            ],
          },
        },
      ],
    });
  });

  it('gives its pull secrets to a pod that has none', async () => {
    expect(await specOf({ serviceAccountName: 'puller' })).toMatchObject({
      imagePullSecrets: [{ name: 'pull' }],
    });
    const own = { serviceAccountName: 'puller', imagePullSecrets: [{ name: 'own' }] };
    expect(await specOf(own)).toMatchObject({ imagePullSecrets: [{ name: 'own' }] });
  });

  it.each<[string, JsonObject, boolean]>([
    ['where the account says so', { serviceAccountName: 'quiet' }, false],
    [
      'but where the pod says so',
      { serviceAccountName: 'quiet', automountServiceAccountToken: true },
      true,
    ],
    ['where the pod says no', { automountServiceAccountToken: false }, false],
    [
      'where something is mounted there already',
      {
        containers: [
          {
            name: 'c',
            volumeMounts: [
              { name: 'v', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
            ],
          },
        ],
      },
      false,
    ],
  ])('leaves its token away %s', async (_, spec, isThere) => {
    expect((await specOf(spec))['volumes'] !== undefined).toBe(isThere);
  });

  it('puts its token in the volume that is there for it', async () => {
    const volumes = [{ name: 'kube-api-access-own', emptyDir: {} }];
    expect(await specOf({ volumes })).toMatchObject({
      volumes,
      containers: [{ volumeMounts: [{ name: 'kube-api-access-own' }] }],
    });
  });

  it('must be there, before the webhooks and after them', async () => {
    const what = admitting(podKind, pod({ serviceAccountName: 'nope' }));
    const message =
      'pods "p" is forbidden: error looking up service account home/nope: serviceaccount "nope" not found';
    expect(await admission.mutate(what)).toMatchObject({ code: 403, body: { message } });
    expect(await admission.validate(what)).toMatchObject({ code: 403, body: { message } });
  });

  it('is nothing that a mirror of a static pod may name', async () => {
    const annotations = { 'kubernetes.io/config.mirror': 'x' };
    const what = admitting(podKind, pod({ serviceAccountName: 'default' }, { annotations }));
    const message = 'pods "p" is forbidden: a mirror pod may not reference service accounts';
    expect(await admission.mutate(what)).toMatchObject({ body: { message } });
  });
});
