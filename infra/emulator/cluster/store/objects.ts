import type { JsonObject } from '#shared/domain/json.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { idOf } from '../served-kinds.ts';
import type { At, changing } from './changing.ts';
import type { Store } from './store.ts';
import { objectOf, type Stored } from './stored.ts';

type Place = { readonly namespace?: string | undefined; readonly name: string };

/** Writes without HTTP, thousands in a second. What the server would refuse throws. */
export type Objects = {
  create(kind: Kind, object: KubeObject): Stored;
  update(kind: Kind, object: KubeObject): Stored;
  /** A merge patch. */
  patch(kind: Kind, at: Place, patch: JsonObject): Stored;
  /** The same with all its work done before: what it returns writes, where nobody else has written meanwhile. */
  preparePatch(kind: Kind, at: Place, patch: JsonObject): () => Stored;
  delete(kind: Kind, at: Place): Stored;
  find(kind: Kind, at: Place): KubeObject | undefined;
  count(kind: Kind): number;
};

export function openObjects(store: Store, changes: ReturnType<typeof changing>): Objects {
  const at = (kind: Kind, { namespace, name }: Place): At => {
    const of = store.collections.get(idOf(kind));
    if (of === undefined) throw new Error(`the fake cluster serves no ${idOf(kind)}`);
    return { of, namespace: kind.namespaced ? namespace : undefined, name };
  };
  const atOf = (kind: Kind, { metadata: { namespace, name = '' } }: KubeObject) =>
    at(kind, { namespace, name });
  return {
    create: (kind, object) => done(changes.create(atOf(kind, object), object)),
    update: (kind, object) => done(changes.update(atOf(kind, object), object)),
    patch: (kind, place, patch) => done(changes.patch(at(kind, place), patch)),
    preparePatch(kind, place, patch) {
      const write = changes.preparePatch(at(kind, place), patch);
      return () => done(write());
    },
    delete: (kind, place) => done(changes.delete(at(kind, place))),
    find(kind, place) {
      const { of, ...named } = at(kind, place);
      const found = changes.find({ of, ...named });
      return isRefusal(found) ? undefined : objectOf(found, of.kind, kind.version);
    },
    count: (kind) => at(kind, { name: '' }).of.size(),
  };
}

function done(written: Stored | Refusal): Stored {
  if (isRefusal(written)) throw new Error(`refused: ${JSON.stringify(written.body)}`);
  return written;
}
