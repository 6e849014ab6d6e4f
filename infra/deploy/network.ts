import { labels, manager } from '#shared/domain/installation.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { manifest, podsOf } from './manifest.ts';
import type { Plan } from './plan.ts';
import { replacedServices } from './webhooks.ts';

export function services(plan: Plan): readonly KubeObject[] {
  const { service } = plan.settings.installation;
  return [
    ...[service, ...replacedServices(plan)].map((name) => webhookService(name, plan)),
    serviceOf('gatehouse-metrics', { name: 'http', port: 8080, targetPort: 'http' }, plan),
  ];
}

function webhookService(name: string, plan: Plan): KubeObject {
  return serviceOf(name, { name: 'https', port: 443, targetPort: 'https' }, plan);
}

function serviceOf(name: string, port: JsonObject, { settings }: Plan): KubeObject {
  const { namespace } = settings.installation;
  return manifest(
    { apiVersion: 'v1', kind: 'Service', name, namespace, component: 'admission' },
    { spec: { selector: podsOf('admission'), ports: [port] } },
  );
}

/** Everything is closed, then opened one by one. The API server's address is nobody's to know: any, at its ports. */
export function networkPolicies({ settings }: Plan): readonly KubeObject[] {
  const { namespace } = settings.installation;
  const { port, probePort } = settings.server;
  const policy = (name: string, component: string | undefined, spec: JsonObject) =>
    manifest(
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        name,
        namespace,
        ...(component === undefined ? {} : { component }),
      },
      { spec: { podSelector: { matchLabels: podsIn(component) }, ...spec } },
    );

  return [
    policy('gatehouse-deny-all', undefined, { policyTypes: ['Egress', 'Ingress'] }),
    policy('gatehouse-to-dns', undefined, {
      policyTypes: ['Egress'],
      // 8053 is where Gardener's DNS pods listen.
      egress: [{ ports: [tcp(53), udp(53), tcp(8053), udp(8053)] }],
    }),
    policy('gatehouse-to-api-server', undefined, {
      policyTypes: ['Egress'],
      egress: [{ ports: [tcp(443), tcp(6443)] }],
    }),
    policy('gatehouse-from-api-server', 'admission', {
      policyTypes: ['Ingress'],
      ingress: [{ ports: [tcp(port)] }],
    }),
    policy('gatehouse-from-metrics', undefined, {
      policyTypes: ['Ingress'],
      ingress: [{ ports: [tcp(probePort)], from: [{ podSelector: { matchLabels: scrapers } }] }],
    }),
  ];
}

/** Kyma's: pods in our namespace that may read metrics. */
const scrapers = { 'networking.kyma-project.io/metrics-scraping': 'allowed' };

function podsIn(component: string | undefined): Readonly<Record<string, string>> {
  return component === undefined ? { [labels.name]: manager } : podsOf(component);
}

export function tcp(port: number): JsonObject {
  return { protocol: 'TCP', port };
}

function udp(port: number): JsonObject {
  return { protocol: 'UDP', port };
}
