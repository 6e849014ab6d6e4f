/** What a process holds in the database, and loses when it dies. */
export type Connection = {
  /** The work under the lock of a row; for a process that died while it waited, none. */
  locked<T>(key: string, work: (held: Held) => Promise<T> | T): Promise<T>;
  disconnect(): void;
};

export type Held = {
  /** Throws where the connection is gone. */
  check(): void;
  /** Also what has to be undone when it goes. */
  onEnd(undo: () => void): void;
};

export function connectionTo(locks: { take(key: string): Promise<() => void> }): Connection {
  let connection = {};
  const open = new Set<() => void>();

  return {
    async locked(key, work) {
      const mine = connection;
      const give = await locks.take(key);
      const undoing: (() => void)[] = [];
      const end = () => {
        open.delete(end);
        for (const undo of undoing.splice(0)) undo();
        give();
      };
      const check = () => {
        if (mine === connection) return;
        end();
        throw new Error('the connection to the database is gone');
      };
      check();
      open.add(end);
      try {
        return await work({ check, onEnd: (undo) => undoing.push(undo) });
      } finally {
        end();
      }
    },
    disconnect() {
      connection = {};
      for (const end of open) end();
    },
  };
}
