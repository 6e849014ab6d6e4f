import { done, type Outcome } from '#shared/domain/outcome.ts';
import { mergePatchOf } from '../merge-patch.ts';
import { type KindOf, nodes, pods } from '../shapes/kinds.ts';
import { placeOf, type Thing } from '../shapes/meta.ts';
import { outcomeOf } from './api.ts';
import { targetOf, type World } from './controller.ts';

type Stating<T extends Thing> = {
  readonly kind: KindOf<T>;
  readonly object: T & { readonly status?: object };
  readonly status: object;
};

/** Of all others their roles let the real ones write a status only as a whole. */
const patched: ReadonlySet<string> = new Set([pods.resource, nodes.resource]);

/** Writes what of the status is new, if anything is, over the object as it is known by now. */
export async function writeStatus<T extends Thing>(
  world: World,
  { kind, object, status }: Stating<T>,
): Promise<Outcome> {
  const known: T & { readonly status?: object } = world.shelf(kind).find(placeOf(object)) ?? object;
  if (known.metadata.uid !== object.metadata.uid) return done;
  const patch = mergePatchOf(known.status, status);
  if (patch === undefined) return done;
  const target = targetOf(kind, known, 'status');
  const change = { status: patch };
  const written = patched.has(kind.resource)
    ? world.api.patch(target, change, known.metadata.resourceVersion)
    : world.api.update(target, known, change);
  return outcomeOf(await written);
}
