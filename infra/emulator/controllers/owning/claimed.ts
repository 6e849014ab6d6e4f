import { matchesLabels } from '#shared/domain/selector.ts';
import { targetOf, type World } from '../frame/controller.ts';
import type { KindOf } from '../shapes/kinds.ts';
import { controllerOf, placeOf, type Selector, type Thing } from '../shapes/meta.ts';
import { ownerReference, planClaim } from './claim.ts';

type Claiming<T extends Thing> = Omit<Parameters<typeof planClaim<T>>[0], 'candidates'> & {
  readonly of: KindOf<T>;
  /** What holds back those that it controls. */
  readonly finalizer?: string;
};

/** The objects that the owner controls, after it has taken up and let go what it has to. */
export async function claimed<T extends Thing>(
  world: World,
  { of, finalizer, ...claiming }: Claiming<T>,
): Promise<readonly T[]> {
  const { owner } = claiming;
  const shelf = world.shelf(of);
  const candidates = [...shelf.ownedBy(owner.metadata.uid), ...shelf.ownedBy('')];
  const { owned, adopted, released } = planClaim({ ...claiming, candidates });
  const writes = [
    ...adopted.map((each) => ({
      each,
      ownerReferences: [ownerReference(owner)],
      ...finalizersOf(each, finalizer, (others, own) => [...others, own]),
    })),
    ...released.map((each) => ({
      each,
      ownerReferences: referencesWithout(each, owner),
      ...finalizersOf(each, finalizer, (others) => others),
    })),
  ];
  const written = await Promise.all(
    writes.map(({ each, ...metadata }) => {
      return world.api.patch(targetOf(of, each), { metadata }, each.metadata.resourceVersion);
    }),
  );
  const isTaken = (index: number) => written[index]?.kind === 'written';
  return [...owned, ...adopted.filter((_, index) => isTaken(index))];
}

type Next = (others: readonly string[], own: string) => readonly string[];

function finalizersOf({ metadata }: Thing, own: string | undefined, next: Next) {
  if (own === undefined) return {};
  const others = (metadata.finalizers ?? []).filter((each) => each !== own);
  return { finalizers: next(others, own) };
}

function referencesWithout(each: Thing, owner: Thing) {
  const references = each.metadata.ownerReferences ?? [];
  return references.filter(({ uid }) => uid !== owner.metadata.uid);
}

/** For wakes: the owner of that kind, where it is one that controls. */
export function controllerPlaces(kind: string) {
  return (object: Thing): readonly string[] => {
    const owner = controllerOf(object);
    return owner?.kind === kind ? [`${object.metadata.namespace ?? ''}/${owner.name}`] : [];
  };
}

/** For wakes: those of that kind who would take up what belongs to nobody. */
export function adopterPlaces<T extends Thing>(
  kind: KindOf<T>,
  selectorOf: (owner: T) => Selector,
) {
  return (object: Thing, world: World): readonly string[] => {
    const { labels, namespace } = object.metadata;
    if (controllerOf(object) !== undefined || labels === undefined) return [];
    return [...world.shelf(kind).list(namespace)]
      .filter((owner) => matchesLabels(selectorOf(owner), labels))
      .map(placeOf);
  };
}
