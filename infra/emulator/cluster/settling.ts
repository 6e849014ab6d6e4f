import { conditionOf } from './custom/definition/conditions.ts';
import { settled } from './custom/definition/settled.ts';
import type { Reading } from './parts.ts';
import { customKinds, idOf } from './served-kinds.ts';
import type { Store } from './store/store.ts';
import type { Stored } from './store/stored.ts';
import { parsedBody } from './store/stored.ts';

/** What the server's own controllers write of a definition, as the next version of it. */
export function settleDefinitions(store: Store, reading: Reading, now: () => Date): void {
  const id = idOf(customKinds);
  const settle = (name: string) => {
    const of = store.collections.get(id);
    const before = of?.find(`/${name}`);
    const definition = reading.find(id, { name });
    if (of === undefined || before === undefined || definition === undefined) return;
    const next = settled(definition, reading.list(id), now());
    if (next !== undefined) store.update(of, before, next);
  };
  store.onCommit((of, { type, now: stored }) => {
    // At once: whoever has written a definition finds its kind served.
    if (idOf(of.kind) === id && type !== 'DELETED') settle(stored.name);
  });
}

/** Before that nobody can ask for its objects. */
export function isEstablished(definition: Stored): boolean {
  return conditionOf(parsedBody(definition), 'Established')?.['status'] === 'True';
}
