import { inBatches } from '#shared/domain/in-batches.ts';
import type { Delivery, Receiving } from '../queue.ts';
import type { From } from './floors.ts';

/** From where on each function is looked at was decided before: whoever finds nothing knows what he has not seen. */
export type Claim = (receiving: Receiving, from: From) => Promise<readonly Delivery[]>;

type Asked = { readonly receiving: Receiving; readonly from: From };

/**
 * Those who ask for the same share the next claim while others are under way: a statement and its commit cost as much
 * as ten of its messages. Nobody gets more than he asked for, and who asked first gets the oldest.
 */
export function sharedClaims(claim: Claim): Claim {
  const ask = inBatches<Asked, readonly Delivery[]>({
    run: async (asked) => handOut(asked, await claim(...oneFor(asked))),
    ...{ max: 4, atOnce: 2 },
    mayGoTogether: (first, other) => kindOf(first) === kindOf(other),
  });
  return (receiving, from) => ask({ receiving, from });
}

function kindOf({ receiving: { functions, visibilityMs } }: Asked): string {
  return JSON.stringify([functions, visibilityMs]);
}

/** From the lowest floor on: who sees more than he wanted to concludes nothing wrong. */
function oneFor(asked: readonly Asked[]): Parameters<Claim> {
  const [first, ...others] = asked.map(({ receiving }) => receiving);
  if (first === undefined) throw new Error('nobody asked');
  const max = others.reduce((sum, each) => sum + each.max, first.max);
  const lowest = (name: string) => Math.min(...asked.map(({ from }) => from.get(name) ?? 0));
  return [{ ...first, max }, new Map(first.functions.map((name) => [name, lowest(name)]))];
}

function handOut(
  asked: readonly Asked[],
  deliveries: readonly Delivery[],
): readonly (readonly Delivery[])[] {
  let at = 0;
  return asked.map(({ receiving: { max } }) => {
    const begin = at;
    at += max;
    return deliveries.slice(begin, at);
  });
}
