export type Batching<T, R> = {
  /** An answer for each, in their order. */
  readonly run: (items: readonly T[]) => Promise<readonly R[]>;
  readonly max: number;
  /** So many under way; what comes meanwhile waits and goes together. */
  readonly atOnce: number;
  /** What a batch may come to, unless its first alone is more. */
  readonly weight?: { readonly of: (item: T) => number; readonly most: number };
  /** Whoever may not go with the first begins the next batch. */
  readonly mayGoTogether?: (first: T, other: T) => boolean;
};

type Waiting<T, R> = {
  readonly item: T;
  readonly resolve: (answer: R) => void;
  readonly reject: (cause: unknown) => void;
};

/** Nothing waits for company: what comes while others are under way shares the next commit. */
export function inBatches<T, R>(batching: Batching<T, R>): (item: T) => Promise<R> {
  const { run, max, atOnce, weight, mayGoTogether = () => true } = batching;
  const waiting: Waiting<T, R>[] = [];
  let underWay = 0;

  const takeBatch = (): readonly Waiting<T, R>[] => {
    const [first] = waiting;
    let sum = 0;
    const end = waiting.findIndex(({ item }, at) => {
      sum += weight?.of(item) ?? 0;
      if (first === undefined || at === 0) return false;
      return at >= max || sum > (weight?.most ?? sum) || !mayGoTogether(first.item, item);
    });
    return waiting.splice(0, end === -1 ? waiting.length : end);
  };
  const start = async (): Promise<void> => {
    underWay += 1;
    await answer(run, takeBatch());
    underWay -= 1;
    next();
  };
  const next = (): void => {
    while (waiting.length > 0 && underWay < atOnce) void start();
  };

  return (item) =>
    new Promise<R>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // What is asked for in the same turn goes together.
      if (waiting.length === 1) process.nextTick(next);
    });
}

async function answer<T, R>(
  run: Batching<T, R>['run'],
  batch: readonly Waiting<T, R>[],
): Promise<void> {
  try {
    const answers = await run(batch.map(({ item }) => item));
    for (const [at, { resolve, reject }] of batch.entries()) {
      const given = answers[at];
      if (given === undefined) reject(new Error('a batch has fewer answers than questions'));
      else resolve(given);
    }
  } catch (cause: unknown) {
    for (const { reject } of batch) reject(cause);
  }
}
