import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { compileCondition } from '#shared/runtime/admission/match-condition.ts';
import type { Registry } from '#shared/runtime/registry.ts';
import { trouble } from '../../cli/output.ts';
import { manifest } from '../../deploy/manifest.ts';
import { render } from '../../deploy/render.ts';

/** In whose name all roles run here: one process, with the rights of each of them and no others. */
export const account = 'gatehouse-emulator';

/** As the API server calls it. */
export function userOf({ installation: { namespace } }: Settings): string {
  return `system:serviceaccount:${namespace}:${account}`;
}

/** What a cluster is given of us, but for what a node would run and for walls between pods that are none. */
const installed: readonly string[] = [
  ...['Namespace', 'ServiceAccount', 'ConfigMap', 'Service'],
  ...['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  ...['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
];

export function manifestsFor(registry: Registry, settings: Settings): readonly KubeObject[] {
  const rendered = render({
    target: 'kubernetes',
    plan: {
      definitions: registry.definitions.filter((each) => registry.isEnabled(each, settings)),
      settings,
      image: 'gatehouse:emulator',
      replicas: 1,
      certificates: settings.certificates.source,
      compiles: (expression) => compileCondition(expression).ok,
    },
    separate: false,
    database: 'secret',
    host: undefined,
  });
  if (rendered.kind === 'refused') throw trouble(rendered.why, { mend: rendered.mend });
  const manifests = rendered.manifests.filter(({ kind }) => installed.includes(kind));
  return once([...placesOf(manifests), ...manifests.flatMap(inOneProcess(settings))]);
}

/** A namespace may be a role's place and ours: the last word counts. */
function once(manifests: readonly KubeObject[]): readonly KubeObject[] {
  return [...new Map(manifests.map((each) => [idOf(each), each])).values()];
}

type Named = {
  readonly kind: string;
  readonly metadata: Pick<KubeObject['metadata'], 'namespace' | 'name'>;
};

export function idOf({ kind, metadata }: Named): string {
  return `${kind} ${metadata.namespace}/${metadata.name}`;
}

/** A role may be of a namespace that nobody has made yet. Of one that is there nothing changes. */
function placesOf(manifests: readonly KubeObject[]): readonly KubeObject[] {
  const roles = manifests.filter(({ kind }) => kind === 'Role');
  const names = new Set(roles.flatMap(({ metadata }) => metadata.namespace ?? []));
  return [...names].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
}

function inOneProcess({ installation: { namespace }, server: { port } }: Settings) {
  const ours = { kind: 'ServiceAccount', name: account, namespace };
  return (each: KubeObject): readonly KubeObject[] => {
    switch (each.kind) {
      case 'Namespace':
        return [
          each,
          manifest({ apiVersion: 'v1', kind: 'ServiceAccount', name: account, namespace }),
        ];
      case 'RoleBinding':
      case 'ClusterRoleBinding':
        return [{ ...each, subjects: [ours] }];
      case 'Service':
        return [{ ...each, spec: { type: 'ExternalName', externalName: 'localhost' } }];
      case 'MutatingWebhookConfiguration':
      case 'ValidatingWebhookConfiguration':
        return [
          { ...each, webhooks: objectsIn(each['webhooks']).map((hook) => calledAt(hook, port)) },
        ];
      default:
        return [each];
    }
  };
}

/** A real API server, too, finds a Service of this kind at a port of this machine. */
function calledAt(webhook: JsonObject, port: number): JsonObject {
  const client = isJsonObject(webhook['clientConfig']) ? webhook['clientConfig'] : {};
  const service = isJsonObject(client['service']) ? client['service'] : {};
  return { ...webhook, clientConfig: { ...client, service: { ...service, port } } };
}

export function objectsIn(list: Json | undefined): readonly JsonObject[] {
  return (isList(list) ? list : []).filter(isJsonObject);
}
