/** More in one statement would make others wait for it. */
const most = 200;

type Gathered<K, V> = { readonly asks: Map<string, K>; readonly told: Promise<readonly V[]> };

/**
 * What is asked for in one turn of the event loop goes in one statement: a burst of reviews costs the database as much as one
 * of them. `askAll` answers in the order of what it is given; the same is never asked for twice in one statement.
 */
export function gathering<K, V>(
  keyOf: (ask: K) => string,
  askAll: (asks: readonly K[]) => Promise<readonly V[]>,
): (ask: K) => Promise<V> {
  let open: Gathered<K, V> | undefined;
  const begin = () => {
    const asks = new Map<string, K>();
    const told = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      if (open?.asks === asks) open = undefined;
      return askAll([...asks.values()]);
    });
    return { asks, told };
  };
  return async (ask) => {
    const key = keyOf(ask);
    if (open === undefined || open.asks.size === most || open.asks.has(key)) open = begin();
    const { asks, told } = open;
    const place = asks.size;
    asks.set(key, ask);
    const answer = (await told)[place];
    if (answer === undefined) throw new Error('a statement has left out what it was asked for');
    return answer;
  };
}
