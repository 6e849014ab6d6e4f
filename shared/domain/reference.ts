import type { Kind } from './kind.ts';
import type { KubeObject } from './kube-object.ts';

/** Names one object of a cluster, and by its uid this very one, not a later one of the same name. */
export type Reference = {
  readonly group: string;
  /** `pods` */
  readonly resource: string;
  /** Empty for what has none. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
};

export function referenceTo(
  { group, resource }: Pick<Kind, 'group' | 'resource'>,
  { metadata }: Pick<KubeObject, 'metadata'>,
): Reference {
  const { namespace = '', name = '', uid = '' } = metadata;
  return { group, resource, namespace, name, uid };
}

/** For logs: `deployments.apps/team-a/web`, `nodes/worker-1`. */
export function referenceText({
  group,
  resource,
  namespace,
  name,
}: Omit<Reference, 'uid'>): string {
  const kind = group === '' ? resource : `${resource}.${group}`;
  return namespace === '' ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}

/** The same object: after it was made anew under its name it is another one. */
export function isSameObject(a: Reference, b: Reference): boolean {
  return a.uid === b.uid && referenceText(a) === referenceText(b);
}

/** `apps/v1`, or `v1` of the core group; `undefined` where it is neither. */
export function parseApiVersion(text: string): Pick<Kind, 'group' | 'version'> | undefined {
  const [, group = '', version] = /^(?:([^/\s]+)\/)?([^/\s]+)$/.exec(text) ?? [];
  return version === undefined ? undefined : { group, version };
}
