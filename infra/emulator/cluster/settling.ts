import { isEstablished } from './custom/definition/established.ts';
import { settled } from './custom/definition/settled.ts';
import { openEmptying } from './emptying.ts';
import type { Reading } from './parts.ts';
import { isMarked } from './pipeline/metadata.ts';
import { registering } from './registering.ts';
import { customKinds, idOf } from './served-kinds.ts';
import type { Store } from './store/store.ts';

/** What the server's own controllers write of a definition, as the next version of it. */
export function settleDefinitions(store: Store, reading: Reading, now: () => Date): void {
  const id = idOf(customKinds);
  const { empty } = openEmptying(store, now);
  const { register, unregister } = registering(store, reading, now);
  const settle = (name: string) => {
    const of = store.collections.get(id);
    const before = of?.find(`/${name}`);
    const definition = reading.find(id, { name });
    if (of === undefined || before === undefined || definition === undefined) return;
    const next = settled(definition, reading.list(id), now());
    if (next !== undefined) store.update(of, before, next);
    else if (isMarked(definition)) empty(name);
    else if (isEstablished(definition)) register(definition);
  };
  const isGoing = (name: string) => {
    const definition = reading.find(id, { name });
    return definition !== undefined && isMarked(definition);
  };
  store.onCommit((of, { type, now: stored, before }) => {
    const name = idOf(of.kind);
    // At once: whoever has written a definition finds its kind served.
    if (name === id && type !== 'DELETED') settle(stored.name);
    if (name === id && before !== undefined) unregister(before);
    if (type === 'DELETED' && of.kind.isCustom && isGoing(name)) empty(name);
  });
}
