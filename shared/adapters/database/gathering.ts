import { isOutage } from './failure.ts';

/** More in one statement would make others wait for it. */
const most = 200;

type Told<V> = { readonly answer: V } | { readonly cause: unknown };

type Gathered<K, V> = { readonly asks: Map<string, K>; readonly told: Promise<readonly Told<V>[]> };

/**
 * What is asked for in one turn of the event loop goes in one statement: a burst of reviews costs the database as much as one
 * of them. `askAll` answers in the order of what it is given; the same is never asked for twice in one statement.
 * One that is refused for what it holds keeps none of the others from their answers.
 */
export function gathering<K, V>(
  keyOf: (ask: K) => string,
  askAll: (asks: readonly K[]) => Promise<readonly V[]>,
): (ask: K) => Promise<V> {
  const askApart = async (asks: readonly K[]): Promise<readonly Told<V>[]> => {
    try {
      return (await askAll(asks)).map((answer) => ({ answer }));
    } catch (cause: unknown) {
      if (asks.length === 1 || isOutage(cause)) return asks.map(() => ({ cause }));
      // By halves: it is found in a few statements.
      const half = Math.ceil(asks.length / 2);
      const parts = await Promise.all([asks.slice(0, half), asks.slice(half)].map(askApart));
      return parts.flat();
    }
  };
  let open: Gathered<K, V> | undefined;
  const begin = () => {
    const asks = new Map<string, K>();
    const told = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      if (open?.asks === asks) open = undefined;
      return askApart([...asks.values()]);
    });
    return { asks, told };
  };
  return async (ask) => {
    const key = keyOf(ask);
    if (open === undefined || open.asks.size === most || open.asks.has(key)) open = begin();
    const { asks, told } = open;
    const place = asks.size;
    asks.set(key, ask);
    const mine = (await told)[place];
    if (mine === undefined) throw new Error('a statement has left out what it was asked for');
    if ('cause' in mine) throw mine.cause;
    return mine.answer;
  };
}
