import type { KubeObject } from '../kube-object.ts';
import { afterSeeing, type Held, nothingHeld } from './held-document.ts';

/** What one process goes by, whoever of it reads. */
export type DocumentKeeper = {
  held(): Held;
  take(seen: KubeObject | undefined, key: string): Held;
};

/** Tells what is new. What was taken last costs nothing to be taken again. */
export function keepDocument(tell: (held: Held) => void): DocumentKeeper {
  let held = nothingHeld;
  let last: { readonly seen: KubeObject | undefined; readonly key: string } | undefined;
  return {
    held: () => held,
    take(seen, key) {
      if (last !== undefined && last.seen === seen && last.key === key) return held;
      last = { seen, key };
      const next = afterSeeing(held, seen, key);
      const isNews = !saysTheSame(held, next);
      held = next;
      if (isNews) tell(held);
      return held;
    },
  };
}

function saysTheSame(one: Held, other: Held): boolean {
  return (
    one.document === other.document &&
    one.problems.join('\n') === other.problems.join('\n') &&
    one.warnings.join('\n') === other.warnings.join('\n')
  );
}
