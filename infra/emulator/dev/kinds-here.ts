import type { Definition } from '#shared/define.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { publishedKinds } from '../cluster/discovery/published-kinds.ts';
import type { EmulatedCluster } from '../cluster/emulated-cluster.ts';
import { customKinds, idOf, type ServedKind } from '../cluster/served-kinds.ts';
import { definedBy, type KnownKinds, knownKinds, nicknamesIn } from '../world/known-kinds.ts';

/** All that the cluster serves now, by all names that kubectl has for it. */
export function kindsHere(
  { reading }: Pick<EmulatedCluster, 'reading'>,
  definitions: readonly Definition[],
): KnownKinds {
  const kinds = knownKinds(definitions);
  for (const served of publishedKinds()) {
    const { short, singular } = served.names ?? { short: [], singular: '' };
    const known = kinds.at(served.group, served.resource);
    kinds.add(known ?? kindOf(served), [...short, singular]);
  }
  for (const object of reading.list(idOf(customKinds))) {
    const definition = object as KubeObject;
    const defined = definedBy(definition);
    if (defined !== undefined) kinds.add(defined, nicknamesIn(definition));
  }
  return kinds;
}

function kindOf({ group, versions, kind, resource, namespaced }: ServedKind): Kind {
  return { group, version: versions[0], kind, resource, namespaced };
}
