import { labels, manager } from '#shared/domain/installation.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { compare } from './plan.ts';
import { yamlOf } from './yaml.ts';

export type Identity = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly component?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
};

export function manifest(identity: Identity, content: JsonObject = {}): KubeObject {
  const { apiVersion, kind, name, namespace, component, annotations = {} } = identity;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        [labels.name]: manager,
        [labels.managedBy]: manager,
        ...(component === undefined ? {} : { [labels.component]: component }),
        ...identity.labels,
      },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    ...content,
  };
}

/** Selects the pods of one component. */
export function podsOf(component: string): Readonly<Record<string, string>> {
  return { [labels.name]: manager, [labels.component]: component };
}

/** What must be there before what: a stream may be applied from top to bottom. */
const order = [
  'Namespace',
  'PriorityClass',
  'ServiceAccount',
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
  'ConfigMap',
  'Issuer',
  'Certificate',
  'NetworkPolicy',
  'PodDisruptionBudget',
  'Service',
  'Deployment',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
];

export function inOrder(manifests: readonly KubeObject[]): readonly KubeObject[] {
  return manifests.toSorted(
    (a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || compare(addressOf(a), addressOf(b)),
  );
}

function addressOf({ apiVersion, metadata }: KubeObject): string {
  return `${apiVersion}/${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

export function streamOf(manifests: readonly KubeObject[]): string {
  return manifests.map(yamlOf).join('---\n');
}
