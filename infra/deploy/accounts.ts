import { certificatesSecret } from '#shared/domain/installation.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { leases, namespaces, secrets } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { manifest } from './manifest.ts';
import { isAdmission, type Plan } from './plan.ts';
import { everywhere, mergeRights, type Right, rightsOf } from './rights.ts';

const rbac = 'rbac.authorization.k8s.io';

/** What the admission server may do: what its functions may, and what it needs itself. */
export function admissionRights(plan: Plan): readonly Right[] {
  return mergeRights([...functionRights(plan), ...ownRights(plan)]);
}

/** Those of all functions: for now they all run in the admission server, the periodic ones as well. */
export function functionRights({ definitions, settings, certificates }: Plan): readonly Right[] {
  return definitions.flatMap((definition) => {
    const rights = rightsOf(definition, settings);
    // Somebody else issues, and the kubelet mounts it: nothing of ours reads or writes that Secret then.
    return definition.capability === 'certificates' && certificates !== 'self'
      ? rights.filter(({ resource }) => resource !== secrets.resource)
      : rights;
  });
}

/** Each replica keeps a Lease named for its pod, and takes it along: a name that no role can know. */
function ownRights({ definitions, settings, certificates }: Plan): readonly Right[] {
  const { namespace } = settings.installation;
  const selects = definitions
    .filter(isAdmission)
    .some(({ trigger }) => trigger.namespaceSelector !== undefined);
  return [
    { namespace, ...everywhere(leases, ['create', 'delete', 'get', 'patch', 'update']) },
    ...(certificates === 'self'
      ? [{ namespace, ...everywhere(secrets, ['get']), names: [certificatesSecret] }]
      : []),
    ...(selects ? [everywhere(namespaces, ['get'])] : []),
  ];
}

/** A ServiceAccount and its roles, in the whole cluster only where a right cannot be narrower. */
export function accountManifests(
  component: string,
  rights: readonly Right[],
  { settings }: Plan,
): readonly KubeObject[] {
  const name = `gatehouse-${component}`;
  const { namespace } = settings.installation;
  const account = manifest(
    { apiVersion: 'v1', kind: 'ServiceAccount', name, namespace, component },
    { automountServiceAccountToken: false },
  );
  const scopes = Map.groupBy(rights, (right) => right.namespace);
  return [
    account,
    ...[...scopes].flatMap(([scope, lines]) =>
      roleManifests({ name, scope, component, namespace }, lines),
    ),
  ];
}

type Grant = {
  readonly name: string;
  readonly component: string;
  /** Of the rights; the whole cluster where it is none. */
  readonly scope: string | undefined;
  /** Of the account. */
  readonly namespace: string;
};

function roleManifests(grant: Grant, rights: readonly Right[]): readonly KubeObject[] {
  const { name, scope, component, namespace } = grant;
  const prefix = scope === undefined ? 'Cluster' : '';
  const identity = {
    apiVersion: `${rbac}/v1`,
    name,
    component,
    ...(scope === undefined ? {} : { namespace: scope }),
  };
  return [
    manifest({ ...identity, kind: `${prefix}Role` }, { rules: rights.map(ruleOf) }),
    manifest(
      { ...identity, kind: `${prefix}RoleBinding` },
      {
        roleRef: { apiGroup: rbac, kind: `${prefix}Role`, name },
        subjects: [{ kind: 'ServiceAccount', name, namespace }],
      },
    ),
  ];
}

function ruleOf({ group, resource, names, verbs }: Right): JsonObject {
  return {
    apiGroups: [group],
    resources: [resource],
    ...(names.length === 0 ? {} : { resourceNames: names }),
    verbs,
  };
}
