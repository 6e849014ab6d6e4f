import { pageNotFound, type Refusal } from '../refusal.ts';
import type { Answer } from './world.ts';

/** `/readyz`, `/livez/etcd`: nothing here is ever ill. */
export function healthAt(path: string, query: URLSearchParams): Answer | Refusal {
  const [, page = '', check] = /^\/(healthz|livez|readyz)(?:\/(.+))?$/.exec(path) ?? [];
  const checks = checksOf[page];
  if (checks === undefined) return pageNotFound;
  if (check !== undefined) return checks.includes(check) ? { code: 200, body: 'ok' } : pageNotFound;
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
  };
  const body = query.has('verbose') ? verbose(page, checks, query.getAll('exclude')) : 'ok';
  return { code: 200, body, headers };
}

function verbose(page: string, checks: readonly string[], excluded: readonly string[]): string {
  const lines = checks.map(
    (check) => `[+]${check} ${excluded.includes(check) ? 'excluded: ok' : 'ok'}`,
  );
  const strange = excluded.filter((each) => !checks.includes(each)).toSorted();
  const none = strange.map((each) => JSON.stringify(each)).join(',');
  const warnings =
    none === '' ? [] : [`warn: some health checks cannot be excluded: no matches for ${none}`];
  return [...lines, ...warnings, `${page} check passed\n`].join('\n');
}

/** What a real server does once it has started, in its order; here it is done by then. */
const hooks: readonly string[] = [
  ...['start-apiserver-admission-initializer', 'generic-apiserver-start-informers'],
  ...['priority-and-fairness-config-consumer', 'priority-and-fairness-filter'],
  ...['storage-object-count-tracker-hook', 'start-apiextensions-informers'],
  ...['start-apiextensions-controllers', 'crd-informer-synced'],
  ...['start-system-namespaces-controller', 'start-cluster-authentication-info-controller'],
  ...['start-kube-apiserver-identity-lease-controller'],
  ...['start-kube-apiserver-identity-lease-garbage-collector'],
  ...['start-legacy-token-tracking-controller', 'start-service-ip-repair-controllers'],
  ...['rbac/bootstrap-roles', 'scheduling/bootstrap-system-priority-classes'],
  ...['priority-and-fairness-config-producer', 'bootstrap-controller'],
  ...['start-kubernetes-service-cidr-controller', 'aggregator-reload-proxy-client-cert'],
  ...['start-kube-aggregator-informers', 'apiservice-status-local-available-controller'],
  ...['apiservice-status-remote-available-controller', 'apiservice-registration-controller'],
  ...['apiservice-discovery-controller', 'kube-apiserver-autoregistration'],
].map((hook) => `poststarthook/${hook}`);

const last = ['apiservice-openapi-controller', 'apiservice-openapiv3-controller'];
const begun = [...hooks, 'autoregister-completion', ...last.map((hook) => `poststarthook/${hook}`)];
const all = ['ping', 'log', 'etcd'];

const checksOf: Readonly<Record<string, readonly string[]>> = {
  healthz: [...all, ...begun],
  livez: [...all, ...begun],
  readyz: [...all, 'etcd-readiness', 'informer-sync', ...begun, 'shutdown'],
};
