import type { Listed } from '#shared/domain/watched.ts';
import type { Written } from '../frame/api.ts';
import type { World } from '../frame/controller.ts';
import type { ServedKind } from '../frame/discovery.ts';
import type { Remains } from './namespace-life.ts';

type Page = Extract<Listed, { readonly kind: 'page' }>;
type Emptying = Pick<World, 'discover' | 'listMetadata'> & {
  readonly api: Pick<World['api'], 'remove' | 'removeAll'>;
};
type Left = {
  readonly name: string;
  readonly objects: Page['objects'];
  readonly failure?: string;
};

/** Deletes all that is in the namespace, and says what is still there. Pods go first: they may need the rest to end well. */
export async function emptyNamespace(namespace: string, world: Emptying): Promise<Remains> {
  const { kinds, failures } = await world.discover();
  const deletable = kinds.filter(({ namespaced, verbs }) => {
    return namespaced && verbs.includes('list') && verbs.includes('delete');
  });
  const [pods, others] = [
    deletable.filter(({ resource }) => resource === 'pods'),
    deletable.filter(({ resource }) => resource !== 'pods'),
  ];
  const first = await Promise.all(pods.map((kind) => emptied(kind, namespace, world)));
  const hasPods = first.some(({ objects }) => objects.length > 0);
  const rest = hasPods
    ? []
    : await Promise.all(others.map((kind) => emptied(kind, namespace, world)));
  // Nobody counts the pods that the rest waits for.
  const counted = hasPods ? [] : [...first, ...rest];
  return {
    ...countsOf(counted),
    hasPods,
    undiscovered: failures,
    failures: [...first, ...rest].flatMap(({ failure }) => failure ?? []),
  };
}

async function emptied(kind: ServedKind, namespace: string, world: Emptying): Promise<Left> {
  const name = `${kind.resource}.${kind.group}`;
  const before = await world.listMetadata(kind, namespace);
  if (before.kind === 'absent') return { name, objects: [] };
  if (before.kind !== 'page') return { name, objects: [], failure: before.why };
  if (before.objects.length === 0) return { name, objects: [] };

  const removed = kind.verbs.includes('deletecollection')
    ? [await world.api.removeAll(kind, namespace)]
    : await removedEach({ kind, objects: before.objects }, world);
  const refused = removed.find((each) => each.kind === 'refused');
  if (refused?.kind === 'refused') return { name, objects: [], failure: refused.why };
  const after = await world.listMetadata(kind, namespace);
  return { name, objects: after.kind === 'page' ? after.objects : [] };
}

type Listing = { readonly kind: ServedKind; readonly objects: Page['objects'] };

/** Of kinds that are not removed all at once. */
async function removedEach({ kind, objects }: Listing, { api }: Emptying) {
  const removed: Written[] = [];
  for (const { metadata } of objects) {
    const { namespace, name = '', uid = '' } = metadata;
    removed.push(await api.remove({ kind, namespace, name }, { uid }));
  }
  return removed;
}

function countsOf(all: readonly Left[]): Pick<Remains, 'counts' | 'finalizers'> {
  const left = all.filter(({ objects }) => objects.length > 0);
  const finalizers = new Map<string, number>();
  for (const { metadata } of left.flatMap(({ objects }) => objects)) {
    const names = metadata['finalizers'];
    for (const each of Array.isArray(names) ? names.map(String) : []) {
      finalizers.set(each, (finalizers.get(each) ?? 0) + 1);
    }
  }
  return { counts: new Map(left.map(({ name, objects }) => [name, objects.length])), finalizers };
}
