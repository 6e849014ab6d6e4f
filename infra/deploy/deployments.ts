import type { JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { databaseUrlIfThere } from './database.ts';
import { type Identity, manifest, podsOf } from './manifest.ts';
import type { Plan } from './plan.ts';
import { type Process, podTemplate, priorityClassName, youngHeapFor } from './pod.ts';

export function deployment(
  process: Process,
  plan: Plan,
  overrides: { readonly replicas?: number; readonly annotations?: Identity['annotations'] } = {},
): KubeObject {
  const { component } = process;
  const { annotations, replicas = plan.replicas } = overrides;
  return manifest(
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: `gatehouse-${component}`,
      namespace: plan.settings.installation.namespace,
      component,
      ...(annotations === undefined ? {} : { annotations }),
    },
    {
      spec: {
        replicas,
        revisionHistoryLimit: 3,
        selector: { matchLabels: podsOf(component) },
        // Never fewer than asked for: a pod made meanwhile would go unmutated.
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        template: podTemplate(process, plan),
      },
    },
  );
}

export function admissionDeployment(plan: Plan): KubeObject {
  const { capabilities, certificates, server } = plan.settings;
  const { ownFunctions } = plan;
  return deployment(
    {
      component: 'admission',
      args: ['serve', '--role', 'admission'],
      youngHeap: youngHeapFor(capabilities),
      env: [
        databaseUrlIfThere,
        ...(ownFunctions === undefined
          ? []
          : [{ name: 'GATEHOUSE_FUNCTIONS', value: ownFunctions }]),
      ],
      ports: [{ name: 'https', containerPort: server.port }],
      volumes:
        plan.certificates === 'self'
          ? []
          : [
              {
                name: 'certificates',
                path: certificates.directory,
                source: { secret: { secretName: certificates.secretName, defaultMode: 0o440 } },
              },
            ],
    },
    plan,
  );
}

/** Upstream's value, far above workloads and below what the system itself has. */
export const priorityClass = manifest(
  { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', name: priorityClassName },
  {
    value: 2_100_000,
    globalDefault: false,
    description: 'Gatehouse is asked about every pod, and has to be there before them.',
  },
);

/** With one replica a minimum of one would hold up every drain of its node for ever. */
export function disruptionBudget(component: string, plan: Plan): KubeObject {
  const bound: JsonObject = plan.replicas > 1 ? { minAvailable: 1 } : { maxUnavailable: 1 };
  return manifest(
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      name: `gatehouse-${component}`,
      namespace: plan.settings.installation.namespace,
      component,
    },
    {
      spec: {
        ...bound,
        selector: { matchLabels: podsOf(component) },
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
      },
    },
  );
}
