import type { Kind } from '#shared/domain/kind.ts';
import { parseApiVersion } from '#shared/domain/reference.ts';
import type { World } from '../frame/controller.ts';
import type { ServedKind } from '../frame/discovery.ts';
import { nameOfKind } from '../shapes/kinds.ts';
import type { OwnerReference, Thing } from '../shapes/meta.ts';
import { isBlocking, isForegroundDeletion, type OwnerState } from './plan-garbage.ts';

/** An object of whichever kind. */
export type Member = { readonly kind: Kind; readonly object: Thing };

/** Kinds that come by the thousand, and that nothing owns. */
const ignored = ['events', 'events.events.k8s.io'];

/** Those of which objects can be owned, and be deleted for it. */
export function isCollected({ verbs, ...kind }: ServedKind): boolean {
  const needed = ['list', 'watch', 'delete', 'patch'];
  return needed.every((verb) => verbs.includes(verb)) && !ignored.includes(nameOfKind(kind));
}

export function dependentsOf(uid: string, world: World): readonly Member[] {
  return world.followed().flatMap(({ kind, ownedBy }) => {
    return [...ownedBy(uid)].map((object) => ({ kind, object }));
  });
}

type Asked = Pick<World, 'discover' | 'metadataOf'> & { readonly api: Pick<World['api'], 'find'> };

/** The shelves may lag behind: what they do not have is asked for before anything is deleted because of it. */
export async function stateOf(
  reference: OwnerReference,
  dependent: Thing,
  world: Asked,
): Promise<OwnerState> {
  const kind = await kindOf(reference, world);
  // Of a kind that nobody serves, or a group that does not answer, nothing is known.
  if (kind === undefined) return 'there';
  const namespace = kind.namespaced ? dependent.metadata.namespace : undefined;
  const at = { namespace, name: reference.name };
  const known = world.metadataOf(kind).find(`${namespace ?? ''}/${reference.name}`);
  const owner = known?.metadata.uid === reference.uid ? known : await live(kind, at, world);
  if (owner?.metadata.uid !== reference.uid) return 'gone';
  const isWaiting = isForegroundDeletion(owner) && isBlocking(dependent, reference.uid);
  return isWaiting ? 'waiting' : 'there';
}

async function kindOf({ apiVersion, kind }: OwnerReference, { discover }: Asked) {
  const stated = parseApiVersion(apiVersion);
  const { kinds } = await discover();
  return kinds.find((each) => each.kind === kind && each.group === stated?.group);
}

/** What has no namespace cannot be owned by what has one. */
export async function hasStrangeOwner({ metadata }: Thing, world: Asked): Promise<boolean> {
  if (metadata.namespace !== undefined) return false;
  const kinds = await Promise.all(
    metadata.ownerReferences?.map((each) => kindOf(each, world)) ?? [],
  );
  return kinds.some((kind) => kind?.namespaced === true);
}

/** References to what is there, but in another namespace. */
export async function misplaced(
  dependent: Thing,
  world: Asked,
): Promise<readonly OwnerReference[]> {
  const { ownerReferences = [], namespace } = dependent.metadata;
  const found = await Promise.all(
    ownerReferences.map(async (reference) => {
      const kind = await kindOf(reference, world);
      if (kind === undefined || !kind.namespaced) return false;
      return [...world.metadataOf(kind).list()].some(
        ({ metadata }) => metadata.uid === reference.uid && metadata.namespace !== namespace,
      );
    }),
  );
  return ownerReferences.filter((_, at) => found[at]);
}

type At = { readonly namespace: string | undefined; readonly name: string };

async function live(kind: Kind, at: At, world: Asked): Promise<Thing | undefined> {
  // The server's answer is an object of the API.
  return (await world.api.find({ kind, ...at })) as Thing | undefined;
}
