export type Listeners = {
  /** What it returns takes the listener out again. */
  add(listener: () => void): () => void;
  call(): void;
};

export function listeners(): Listeners {
  const known = new Set<() => void>();
  return {
    add(listener) {
      known.add(listener);
      return () => known.delete(listener);
    },
    call() {
      for (const listener of known) listener();
    },
  };
}
