/** Of each group, the transaction that has its lock, and who waits for it in the order in which they came. */
export type Locks = {
  holderOf(key: string): number | undefined;
  /** Sorted keys: two that want the same ones never wait for each other. */
  take(keys: readonly string[], owner: number): Promise<void>;
  give(owner: number): void;
};

type Waits = (holder: number | undefined, asker: number) => boolean;

export function locksFor(waits: Waits): Locks {
  const holders = new Map<string, number>();
  const queues = new Map<string, (() => void)[]>();

  const take = async (key: string, owner: number): Promise<void> => {
    while (waits(holders.get(key), owner)) {
      await new Promise<void>((resolve) => {
        queues.set(key, [...(queues.get(key) ?? []), resolve]);
      });
    }
    holders.set(key, owner);
  };
  const wake = (key: string): void => {
    const [next, ...others] = queues.get(key) ?? [];
    queues.set(key, others);
    if (others.length === 0) queues.delete(key);
    next?.();
  };

  return {
    holderOf: (key) => holders.get(key),
    async take(keys, owner) {
      for (const key of [...new Set(keys)].sort()) await take(key, owner);
    },
    give(owner) {
      const given = [...holders].flatMap(([key, holder]) => (holder === owner ? [key] : []));
      for (const key of given) holders.delete(key);
      for (const key of given) wake(key);
    },
  };
}
