import { describe, expect, it } from 'vitest';
import { kubernetesManifests } from '#infra/deploy/kubernetes.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { planOf, theOne } from './samples.ts';

/** What the API server would read: no types of ours in between. */
function deploymentIn(manifests: readonly KubeObject[]) {
  return JSON.parse(JSON.stringify(theOne(manifests, 'Deployment')['spec']));
}

describe('the admission Deployment', () => {
  const manifests = kubernetesManifests(planOf());
  const { template, replicas, strategy } = deploymentIn(manifests);
  const [container] = template.spec.containers;

  it('is what the restricted profile asks for, and more', () => {
    expect(template.spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    });
    const scratch = container.volumeMounts.find(({ name }: { name: string }) => name === 'tmp');
    expect(scratch).toEqual({ name: 'tmp', mountPath: '/tmp' });
  });

  it('is given its role, its configuration and its name', () => {
    expect(container.args).toEqual(['serve', '--role', 'admission']);
    expect(container.env).toContainEqual({
      name: 'GATEHOUSE_CONFIG',
      value: '/etc/gatehouse/config/gatehouse.yaml',
    });
    expect(container.env).toContainEqual({
      name: 'POD_NAME',
      valueFrom: { fieldRef: { fieldPath: 'metadata.name' } },
    });
    // Twice as many as may look up what namespaces name, and half of all look up names.
    expect(container.env).toContainEqual({ name: 'UV_THREADPOOL_SIZE', value: '8' });
    expect(container.volumeMounts).toContainEqual({
      name: 'config',
      mountPath: '/etc/gatehouse/config',
      readOnly: true,
    });
  });

  it.each([
    ['has little room for what is young', ['node-affinity'], '--max-semi-space-size=2'],
    ['has more of it where images are judged', ['image-trust'], '--max-semi-space-size=16'],
    ['has more of it where large pods are changed', ['pod-bootstrap'], '--max-semi-space-size=16'],
  ] as const)('%s', (_, capabilities, flags) => {
    const settings = settingsFixed({ capabilities: [...capabilities] }).current();
    const of = deploymentIn(kubernetesManifests(planOf({ settings })));
    const [{ env }] = of.template.spec.containers;
    expect(env).toContainEqual({ name: 'NODE_OPTIONS', value: flags });
  });

  it('never has fewer replicas than asked for, and lives apart from its twin', () => {
    expect(replicas).toBe(2);
    expect(strategy.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    const [term] =
      template.spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution;
    expect(term.podAffinityTerm.labelSelector.matchLabels).toEqual({
      'app.kubernetes.io/name': 'gatehouse',
      'app.kubernetes.io/component': 'admission',
    });
    expect(template.metadata.labels).toMatchObject(term.podAffinityTerm.labelSelector.matchLabels);
  });

  it('is given more time to end than it serves on and a review may take', () => {
    const settings = settingsFixed({ server: { drainSeconds: 40, timeoutSeconds: 30 } }).current();
    const spec = deploymentIn(kubernetesManifests(planOf({ settings })));

    expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(40 + 30);
  });

  it('follows the ports of the settings', () => {
    const settings = settingsFixed({ server: { port: 8443, probePort: 8081 } }).current();
    const moved = kubernetesManifests(planOf({ settings }));

    expect(deploymentIn(moved).template.spec.containers[0].ports).toEqual([
      { name: 'https', containerPort: 8443 },
      { name: 'http', containerPort: 8081 },
    ]);
    expect(theOne(moved, 'NetworkPolicy', 'gatehouse-from-api-server')).toMatchObject({
      spec: { ingress: [{ ports: [{ protocol: 'TCP', port: 8443 }] }] },
    });
  });

  it('mounts no certificate where it issues its own', () => {
    const names = template.spec.volumes.map(({ name }: { name: string }) => name);

    expect(names).toEqual(['config', 'tmp']);
  });
});

describe('a certificate that somebody else issues', () => {
  it.each([
    ['gardener', 'cert.gardener.cloud/v1alpha1', { secretRef: { name: 'gatehouse-certificates' } }],
    ['cert-manager', 'cert-manager.io/v1', { secretName: 'gatehouse-certificates' }],
  ] as const)('is asked of %s and mounted', (certificates, apiVersion, secret) => {
    const manifests = kubernetesManifests(planOf({ certificates, grouping: 'separate' }));

    expect(theOne(manifests, 'Issuer')).toMatchObject({ apiVersion, spec: { selfSigned: {} } });
    expect(theOne(manifests, 'Certificate')).toMatchObject({
      apiVersion,
      spec: {
        ...secret,
        issuerRef: { name: 'gatehouse' },
        dnsNames: [
          'gatehouse-webhook.gatehouse-system.svc',
          'gatehouse-webhook.gatehouse-system.svc.cluster.local',
          'kim-snatch-webhook-service.gatehouse-system.svc',
          'kim-snatch-webhook-service.gatehouse-system.svc.cluster.local',
        ],
      },
    });
    const { volumes, containers } = deploymentIn(manifests).template.spec;
    expect(volumes).toContainEqual({
      name: 'certificates',
      secret: { secretName: 'gatehouse-certificates', defaultMode: 0o440 },
    });
    expect(containers[0].volumeMounts).toContainEqual({
      name: 'certificates',
      mountPath: '/etc/gatehouse/certificates',
      readOnly: true,
    });
  });
});

describe('what stands around it', () => {
  it('keeps one replica through every drain', () => {
    expect(theOne(kubernetesManifests(planOf()), 'PodDisruptionBudget')).toMatchObject({
      spec: { minAvailable: 1 },
    });
  });

  it('lets the only replica go where there is one', () => {
    const budget = theOne(kubernetesManifests(planOf({ replicas: 1 })), 'PodDisruptionBudget');

    expect(budget['spec']).toMatchObject({ maxUnavailable: 1 });
    expect(budget['spec']).not.toHaveProperty('minAvailable');
  });

  it('is a Service a name that API servers call', () => {
    const names = (grouping: 'fused' | 'separate') =>
      kubernetesManifests(planOf({ grouping }))
        .filter(({ kind }) => kind === 'Service')
        .map(({ metadata }) => metadata.name);

    expect(names('fused')).toEqual(['gatehouse-webhook', 'gatehouse-metrics']);
    expect(names('separate')).toContain('kim-snatch-webhook-service');
  });

  it('is a namespace only where it is Gatehouse’s own', () => {
    const kinds = (namespace: string) => {
      const settings = settingsFixed({ installation: { namespace } }).current();
      return kubernetesManifests(planOf({ settings })).map(({ kind }) => kind);
    };

    expect(kinds('gatehouse-system')).toContain('Namespace');
    expect(kinds('kyma-system')).not.toContain('Namespace');
  });

  it('closes all traffic but its own', () => {
    const policies = kubernetesManifests(planOf()).filter(({ kind }) => kind === 'NetworkPolicy');

    expect(policies.map(({ metadata }) => metadata.name)).toEqual([
      'gatehouse-deny-all',
      'gatehouse-to-dns',
      'gatehouse-to-api-server',
      'gatehouse-from-api-server',
      'gatehouse-from-metrics',
    ]);
    expect(theOne(policies, 'NetworkPolicy', 'gatehouse-deny-all')['spec']).toEqual({
      podSelector: { matchLabels: { 'app.kubernetes.io/name': 'gatehouse' } },
      policyTypes: ['Egress', 'Ingress'],
    });
    expect(theOne(policies, 'NetworkPolicy', 'gatehouse-from-metrics')).toMatchObject({
      spec: {
        ingress: [
          {
            from: [
              {
                podSelector: {
                  matchLabels: { 'networking.kyma-project.io/metrics-scraping': 'allowed' },
                },
              },
            ],
            ports: [{ port: 8080 }],
          },
        ],
      },
    });
  });

  it('carries who manages it, all of it', () => {
    for (const { metadata } of kubernetesManifests(planOf({ certificates: 'gardener' })))
      expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'gatehouse' });
  });
});
