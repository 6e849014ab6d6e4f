import type { Definition } from '#shared/define.ts';
import { labels, manager } from '#shared/domain/installation.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { accountManifests } from './accounts.ts';
import { configFile } from './configuration.ts';
import { kubernetesManifests } from './kubernetes.ts';
import { manifest } from './manifest.ts';
import { tcp } from './network.ts';
import { isAdmission, type Plan } from './plan.ts';
import { configVolume, hardened } from './pod.ts';
import { mergeRights, rightsOf } from './rights.ts';

/** Of Services that Knative makes: 8012 and 8013 take requests, 8112 takes them by TLS, 9090 and 9091 are scraped, 8022 is the probe's. */
const queueProxyPorts = [8012, 8013, 8022, 8112, 9090, 9091];

/** Admission stays where it terminates TLS itself; each other function is a Service that may scale to nothing. */
export function knativeManifests(plan: Plan): readonly KubeObject[] {
  const functions = plan.definitions.filter((definition) => !isAdmission(definition));
  return [
    ...kubernetesManifests(plan),
    ...functions.flatMap((definition) => functionManifests(definition, plan)),
    ...(functions.length === 0 ? [] : [fromQueueProxy(plan)]),
  ];
}

/** By function: the cluster-local address of its Service. */
export function knativeAddresses({
  definitions,
  settings,
}: Plan): Readonly<Record<string, string>> {
  const { namespace } = settings.installation;
  return Object.fromEntries(
    definitions
      .filter(({ shape }) => shape === 'reconcile')
      .map(({ name }) => [name, `http://gatehouse-${name}.${namespace}.svc.cluster.local`]),
  );
}

function functionManifests(definition: Definition, plan: Plan): readonly KubeObject[] {
  const rights = mergeRights(rightsOf(definition, plan.settings));
  return [...accountManifests(definition.name, rights, plan), knativeService(definition, plan)];
}

function knativeService(definition: Definition, plan: Plan): KubeObject {
  const { name, summary, deadlineMs } = definition;
  return manifest(
    {
      apiVersion: 'serving.knative.dev/v1',
      kind: 'Service',
      name: `gatehouse-${name}`,
      namespace: plan.settings.installation.namespace,
      component: name,
      // Not for the world: whoever may post a CloudEvent may wake the function.
      labels: { 'networking.knative.dev/visibility': 'cluster-local' },
      ...(summary === undefined ? {} : { annotations: { 'gatehouse.io/summary': summary } }),
    },
    {
      spec: {
        template: {
          metadata: {
            labels: { [labels.name]: manager, [labels.component]: name, ...functionPod },
            annotations: { 'autoscaling.knative.dev/min-scale': '0' },
          },
          spec: {
            serviceAccountName: `gatehouse-${name}`,
            enableServiceLinks: false,
            timeoutSeconds: Math.ceil(deadlineMs / 1000) + 5,
            containers: [container(definition, plan)],
            volumes: [{ name: configVolume.name, ...configVolume.source }],
          },
        },
      },
    },
  );
}

const functionPod = { 'gatehouse.io/runs': 'function' };

/** Only fields that Knative takes without a feature flag: no pod-level security context, no downward API. */
function container({ name }: Definition, { image }: Plan): JsonObject {
  return {
    image,
    command: ['node'],
    args: [`dist/functions/${name}.mjs`],
    env: [{ name: 'GATEHOUSE_CONFIG', value: `${configVolume.path}/${configFile}` }],
    // Knative sets PORT to it, and refuses a PORT of our own.
    ports: [{ containerPort: 8080 }],
    resources: { requests: { cpu: '20m', memory: '96Mi' }, limits: { memory: '256Mi' } },
    securityContext: {
      ...hardened,
      runAsNonRoot: true,
      runAsUser: 65_532,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    volumeMounts: [{ name: configVolume.name, mountPath: configVolume.path, readOnly: true }],
  };
}

function fromQueueProxy({ settings }: Plan): KubeObject {
  const { namespace } = settings.installation;
  return manifest(
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      name: 'gatehouse-from-knative',
      namespace,
    },
    {
      spec: {
        podSelector: { matchLabels: functionPod },
        policyTypes: ['Ingress'],
        ingress: [{ ports: queueProxyPorts.map(tcp) }],
      },
    },
  );
}
