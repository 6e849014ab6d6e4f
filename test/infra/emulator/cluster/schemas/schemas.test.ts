import { describe, expect, it } from 'vitest';
import { findVersion } from '#infra/emulator/cluster/custom/definition.ts';
import { builtInSchema, openSchemas } from '#infra/emulator/cluster/schemas/open-schemas.ts';
import { widgets } from '../custom/widgets.ts';

const deployment = { group: 'apps', version: 'v1', kind: 'Deployment' };

describe('the schemas of the built-in kinds', () => {
  it.each([
    '/v1 Pod',
    '/v1 Namespace',
    '/v1 Node',
    '/v1 Service',
    '/v1 Secret',
    '/v1 ConfigMap',
    '/v1 ServiceAccount',
    '/v1 Event',
    '/v1 Endpoints',
    '/v1 Binding',
    '/v1 PersistentVolumeClaim',
    'apps/v1 Deployment',
    'apps/v1 ReplicaSet',
    'apps/v1 StatefulSet',
    'apps/v1 DaemonSet',
    'batch/v1 Job',
    'batch/v1 CronJob',
    'policy/v1 PodDisruptionBudget',
    'policy/v1 Eviction',
    'autoscaling/v1 Scale',
    'rbac.authorization.k8s.io/v1 ClusterRole',
    'rbac.authorization.k8s.io/v1 RoleBinding',
    'admissionregistration.k8s.io/v1 MutatingWebhookConfiguration',
    'apiextensions.k8s.io/v1 CustomResourceDefinition',
    'apiregistration.k8s.io/v1 APIService',
    'coordination.k8s.io/v1 Lease',
    'certificates.k8s.io/v1 CertificateSigningRequest',
    'certificates.k8s.io/v1beta1 ClusterTrustBundle',
    'certificates.k8s.io/v1alpha1 ClusterTrustBundle',
    'networking.k8s.io/v1 NetworkPolicy',
    'networking.k8s.io/v1 Ingress',
    'events.k8s.io/v1 Event',
    'discovery.k8s.io/v1 EndpointSlice',
    'authorization.k8s.io/v1 SelfSubjectAccessReview',
    'authentication.k8s.io/v1 TokenReview',
    'authentication.k8s.io/v1 TokenRequest',
    'scheduling.k8s.io/v1 PriorityClass',
    'storage.k8s.io/v1 StorageClass',
    'node.k8s.io/v1 RuntimeClass',
  ])('have %s', (id) => {
    const [, group = '', version = '', kind = ''] = /^(.*)\/(\S+) (\S+)$/.exec(id) ?? [];
    expect(builtInSchema({ group, version, kind })).toMatchObject({
      type: 'object',
      properties: { apiVersion: { type: 'string' } },
    });
  });

  it('are linked: what a reference means is there, with the default beside it', () => {
    expect(builtInSchema(deployment)).toMatchObject({
      properties: {
        spec: {
          default: {},
          required: ['selector', 'template'],
          properties: {
            template: {
              properties: {
                spec: {
                  properties: {
                    containers: {
                      'x-kubernetes-patch-merge-key': 'name',
                      'x-kubernetes-list-map-keys': ['name'],
                      items: { properties: { image: { type: 'string' } } },
                    },
                  },
                },
              },
            },
          },
        },
      },
    });
  });

  it('hold no reference, however deep', () => {
    const kinds = [deployment, { group: 'batch', version: 'v1', kind: 'CronJob' }];
    expect(kinds.map((kind) => JSON.stringify(builtInSchema(kind)).includes('$ref'))).toEqual([
      false,
      false,
    ]);
  });

  it('may refer to themselves', () => {
    const type = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };
    const spec = builtInSchema(type)?.properties?.['spec']?.properties;
    const versions = spec?.['versions']?.items?.properties?.['schema'];
    const schema = versions?.properties?.['openAPIV3Schema'];
    expect(schema?.properties?.['properties']?.additionalProperties).toMatchObject({
      properties: { not: { properties: { maxLength: { type: 'integer' } } } },
    });
  });

  it('are linked once', () => {
    expect(builtInSchema(deployment)).toBe(builtInSchema(deployment));
  });
});

describe('schemas', () => {
  it('are asked of the definitions where no kind is built in', () => {
    const { find } = openSchemas(({ version }) => findVersion(widgets, version)?.whole);
    expect(find({ group: 'example.com', version: 'v1', kind: 'Widget' })).toMatchObject({
      properties: {
        spec: { required: ['name'] },
        metadata: { properties: { labels: { type: 'object' } } },
      },
    });
    expect(find({ group: 'example.com', version: 'v2', kind: 'Widget' })).toBeUndefined();
    expect(find(deployment)).toBe(builtInSchema(deployment));
  });
});
