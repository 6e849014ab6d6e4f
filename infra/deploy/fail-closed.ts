import type { LabelRequirement } from '#shared/domain/selector.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { type Admission, admissionsOf, onFailureOf, type Plan } from './plan.ts';

/** What guards one object, by its name, keeps nobody from starting: it is guarded wherever it is. */
export function isExempting(definition: Admission, settings: Settings): boolean {
  return definition.trigger.object === undefined && onFailureOf(definition, settings) === 'deny';
}

/** What must be able to start while we are down, so that we can come back by ourselves. */
export function exemptNamespaces({ installation }: Settings): readonly string[] {
  const { namespace, exemptNamespaces: configured } = installation;
  return [...new Set(['kube-system', 'kube-node-lease', namespace, ...configured])].toSorted();
}

/** The label is the API server's own: nobody can take it off a namespace or forge it. */
export function exemption(settings: Settings): LabelRequirement {
  return {
    key: 'kubernetes.io/metadata.name',
    operator: 'NotIn',
    values: exemptNamespaces(settings),
  };
}

/** Known to hold other workloads. Any name without the word `gatehouse` is taken to hold some as well. */
const shared = ['default', 'kyma-system', 'istio-system', 'cert-manager', 'kubewarden'];
const sharedPrefixes = ['kube-', 'openshift-', 'garden-', 'shoot--'];

export function isDedicated(namespace: string): boolean {
  return (
    namespace.split('-').includes('gatehouse') &&
    !shared.includes(namespace) &&
    !sharedPrefixes.some((prefix) => namespace.startsWith(prefix))
  );
}

export type Refusal = { readonly why: string; readonly mend: string };

/** Why these functions must not be installed there; `undefined` where they may. */
export function refusalOf(plan: Plan): Refusal | undefined {
  const { namespace } = plan.settings.installation;
  const closed = admissionsOf(plan)
    .filter((definition) => isExempting(definition, plan.settings))
    .map(({ name }) => name);
  if (closed.length === 0 || isDedicated(namespace)) return undefined;

  return {
    why: `${closed.join(', ')} would fail closed in ${namespace}: such an entry leaves out the installation's own namespace, which must therefore hold nothing else; ${whyShared(namespace)}`,
    mend: 'install into a namespace of its own (gatehouse-system, or any name that has the word gatehouse between dashes), or let the function fail open',
  };
}

function whyShared(namespace: string): string {
  const known =
    shared.includes(namespace) || sharedPrefixes.some((prefix) => namespace.startsWith(prefix));
  return known
    ? `${namespace} holds other workloads, which nobody would judge`
    : `nothing says that ${namespace} is Gatehouse's alone, and its other workloads would be judged by nobody`;
}
