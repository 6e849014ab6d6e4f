import type { Kind } from '#shared/domain/kind.ts';
import { resolveName } from '#shared/domain/place.ts';
import type { Access, AccessVerb, Cluster, SettingsPort, Target } from '#shared/ports.ts';

type Holder = {
  readonly function: string;
  readonly installationNamespace: string;
  /** For rights that go by a name in them. */
  readonly settings?: SettingsPort;
};

/** What is about to be done, as RBAC sees it. */
type Deed = {
  readonly verb: AccessVerb;
  readonly kind: Kind;
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
  /** A list has none, and RBAC does not see a create's. */
  readonly name?: string | undefined;
};

/**
 * The port, limited to what a definition states: so that a missing right is found by the first test,
 * and not by the first cluster. An apply that makes the object needs `create` as well; only the API server can tell.
 */
export function narrowed(cluster: Cluster, access: readonly Access[], holder: Holder): Cluster {
  const check = (deed: Deed) => {
    if (access.some((right) => allows(right, deed, holder))) return;
    throw new Error(`function ${holder.function} did not state the right to ${wordsFor(deed)}`);
  };
  const checked = (verb: AccessVerb, target: Target) => check({ verb, ...target });

  return {
    async find(target) {
      checked('get', target);
      return cluster.find(target);
    },
    list(kind, options = {}) {
      const name = /(?:^|,)metadata\.name==?([^,]+)/.exec(options.fields ?? '')?.[1];
      check({ verb: 'list', kind, namespace: options.namespace, name });
      return cluster.list(kind, options);
    },
    async create(kind, object, options) {
      // RBAC cannot hold a create to names; here it can be.
      const { namespace, name } = object.metadata;
      check({ verb: 'create', kind, namespace, name });
      return cluster.create(kind, object, options);
    },
    async replace(target, object, options) {
      checked('update', target);
      return cluster.replace(target, object, options);
    },
    async patch(target, body, options) {
      checked('patch', target);
      return cluster.patch(target, body, options);
    },
    async apply(target, object, options) {
      checked('patch', target);
      return cluster.apply(target, object, options);
    },
    async evict(target, options) {
      checked('create', { ...target, subresource: 'eviction' });
      return cluster.evict(target, options);
    },
    async delete(target, options) {
      checked('delete', target);
      return cluster.delete(target, options);
    },
  };
}

function allows(right: Access, deed: Deed, holder: Holder): boolean {
  return (
    right.kind.group === deed.kind.group &&
    right.kind.resource === deed.kind.resource &&
    right.subresource === deed.subresource &&
    right.verbs.includes(deed.verb) &&
    isWithin(right.namespace, deed, holder) &&
    (right.names === undefined || right.names.some((name) => isNamed(name, deed, holder)))
  );
}

function isNamed(
  stated: NonNullable<Access['names']>[number],
  { name }: Deed,
  { settings }: Holder,
): boolean {
  if (typeof stated === 'string') return name === stated;
  return settings !== undefined && name === resolveName(stated, settings.current());
}

function isWithin(namespace: Access['namespace'], deed: Deed, holder: Holder): boolean {
  if (namespace === undefined) return true;
  return (
    deed.namespace === (namespace === 'installation' ? holder.installationNamespace : namespace)
  );
}

function wordsFor({ verb, kind, subresource, namespace, name }: Deed): string {
  const what = subresource === undefined ? kind.resource : `${kind.resource}/${subresource}`;
  const every = kind.namespaced ? ' in every namespace' : '';
  const where = namespace === undefined ? every : ` in ${namespace}`;
  return `${verb} ${what}${where}${name === undefined ? '' : `, named ${name}`}`;
}
