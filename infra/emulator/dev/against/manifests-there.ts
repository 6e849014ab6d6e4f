import { isIPv6 } from 'node:net';
import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Registry } from '#shared/runtime/registry.ts';
import { manifestsFor } from '../manifests.ts';
import { marked } from './mark.ts';

type There = {
  readonly mark: string;
  /** By which the API server calls us; without it no webhook is registered. */
  readonly host: string | undefined;
};

/** What somebody else's cluster is given of us, with our mark on each. */
export function manifestsThere(
  registry: Registry,
  settings: Settings,
  { mark, host }: There,
): readonly KubeObject[] {
  const { namespace } = settings.installation;
  const isMeant = ({ kind, metadata }: KubeObject) => {
    if (kind === 'Service') return false;
    if (kind === 'Namespace') return metadata.name === namespace;
    return host !== undefined || !kind.endsWith('WebhookConfiguration');
  };
  const called = (each: KubeObject) =>
    host === undefined || each['webhooks'] === undefined
      ? each
      : { ...each, webhooks: objectsIn(each['webhooks']).map((hook) => calledAt(hook, host)) };
  return manifestsFor(registry, settings)
    .filter(isMeant)
    .map((each) => marked(called(each), mark));
}

/** `1 Namespace, 4 ServiceAccounts`, in the order in which they are made. */
export function countedKinds(manifests: readonly KubeObject[]): string {
  const counts = Map.groupBy(manifests, ({ kind }) => kind);
  return [...counts]
    .map(([kind, { length }]) => `${length} ${kind}${length === 1 ? '' : 's'}`)
    .join(', ');
}

/** By address, and open on failure: this machine may fall asleep, and their pods must come up all the same. */
function calledAt(webhook: JsonObject, host: string): JsonObject {
  const { clientConfig, ...rest } = webhook;
  const client = isJsonObject(clientConfig) ? clientConfig : {};
  const { service, ...trust } = client;
  const { path, port } = isJsonObject(service) ? service : {};
  const name = isIPv6(host) ? `[${host}]` : host;
  const url = `https://${name}:${port}${path ?? ''}`;
  return { ...rest, clientConfig: { ...trust, url }, failurePolicy: 'Ignore' };
}

function objectsIn(list: Json): readonly JsonObject[] {
  return (isList(list) ? list : []).filter(isJsonObject);
}
