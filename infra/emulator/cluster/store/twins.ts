import { idOf, type ServedKind } from '../served-kinds.ts';
import type { Store } from './store.ts';

/** Another group's name for the same objects: what is written by one name is there by the other. */
export function serveTwin(store: Store, twin: ServedKind, of: string): void {
  const storage = store.collections.get(of);
  if (storage === undefined) throw new Error(`nobody serves ${of}`);
  store.collections.set(idOf(twin), { ...storage, kind: twin, storage });
}
