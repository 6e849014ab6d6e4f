import { describe, expect, it } from 'vitest';
import { knativeManifests } from '#infra/deploy/knative.ts';
import { planOf, stampPool, theOne } from './samples.ts';

const serving = 'serving.knative.dev/v1';

describe('functions on Knative', () => {
  const manifests = knativeManifests(planOf());
  const services = manifests.filter(({ apiVersion }) => apiVersion === serving);

  it('are a Service each, but for admission, which terminates TLS itself', () => {
    expect(services.map(({ metadata }) => metadata.name)).toEqual([
      'gatehouse-renew-certificate',
      'gatehouse-report-strays',
      'gatehouse-show-console',
    ]);
    expect(theOne(manifests, 'Deployment').metadata.name).toBe('gatehouse-admission');
  });

  it('run their own bundle, under their own account, for nobody outside', () => {
    const [, strays] = services;

    expect(strays).toMatchObject({
      metadata: {
        labels: { 'networking.knative.dev/visibility': 'cluster-local' },
        annotations: { 'gatehouse.io/summary': 'Reports pods outside the pool.' },
      },
      spec: {
        template: {
          spec: {
            serviceAccountName: 'gatehouse-report-strays',
            timeoutSeconds: 15,
            containers: [{ ports: [{ containerPort: 8080 }] }],
          },
        },
      },
    });
    expect(JSON.stringify(strays)).toContain('dist/functions/report-strays.mjs');
    // Knative refuses a PORT of the user's.
    expect(JSON.stringify(strays)).not.toContain('"PORT"');
  });

  it('may do what they use and no more', () => {
    expect(theOne(manifests, 'ClusterRole', 'gatehouse-report-strays')['rules']).toEqual([
      { apiGroups: [''], resources: ['nodes'], verbs: ['list'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
      { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'get', 'patch'] },
    ]);
    expect(
      manifests.some(
        ({ kind, metadata }) =>
          kind !== 'ServiceAccount' &&
          kind !== 'Service' &&
          metadata.name === 'gatehouse-show-console',
      ),
    ).toBe(false);
  });

  it('are reached through Knative’s proxy past the closed network', () => {
    const policy = JSON.stringify(theOne(manifests, 'NetworkPolicy', 'gatehouse-from-knative'));

    expect(policy).toContain('"port":8012');
    expect(policy).toContain('"gatehouse.io/runs":"function"');
    expect(JSON.stringify(services[0])).toContain('"gatehouse.io/runs":"function"');
  });

  it('are none where only admission functions are on', () => {
    const names = knativeManifests(planOf({ definitions: [stampPool] })).map(
      ({ metadata }) => metadata.name,
    );

    expect(names).not.toContain('gatehouse-from-knative');
  });
});
