export type HeardCache<V> = {
  find(name: string): Promise<V | undefined>;
  /** All of them where no names are given. */
  drop(names: readonly string[] | undefined): void;
};

/** Remembers what was read until it is told to forget it; what is not there it does not remember. */
export function heardCache<V>(
  load: (name: string) => Promise<V | undefined>,
  maxEntries: number,
): HeardCache<V> {
  const known = new Map<string, V>();
  const asked = new Map<string, Promise<V | undefined>>();

  const remember = (name: string, value: V) => {
    known.set(name, value);
    const [oldest] = known.size > maxEntries ? known.keys() : [];
    if (oldest !== undefined) known.delete(oldest);
  };
  const ask = (name: string) => {
    const asking: Promise<V | undefined> = load(name).then(
      (value) => {
        // Otherwise it was dropped meanwhile: what was read may be from before the change.
        if (asked.get(name) === asking && value !== undefined) remember(name, value);
        forgetAsking(name, asking);
        return value;
      },
      (cause: unknown) => {
        forgetAsking(name, asking);
        throw cause;
      },
    );
    asked.set(name, asking);
    return asking;
  };
  const forgetAsking = (name: string, asking: Promise<V | undefined>) => {
    if (asked.get(name) === asking) asked.delete(name);
  };

  return {
    find: async (name) => known.get(name) ?? asked.get(name) ?? ask(name),
    drop(names) {
      for (const name of names ?? [...known.keys(), ...asked.keys()]) {
        known.delete(name);
        asked.delete(name);
      }
    },
  };
}
